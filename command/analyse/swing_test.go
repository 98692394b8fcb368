package analyse

import (
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"damier/engine"
	"damier/engine/open"
	"damier/notation"
	"damier/rules"
)

// testGames returns the composed games.
func testGames(t testing.TB) []*notation.Game {
	f, err := os.Open("testdata/games.pdn")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := notation.NewVariantsReader(f, func(tags notation.Tags) (*rules.Variant, error) {
		return notation.VariantOf(tags, rules.International)
	})
	var games []*notation.Game
	for {
		g, err := r.Next()
		if err != nil {
			break
		}
		games = append(games, g)
	}
	if len(games) != 10 {
		t.Fatalf("%d games, want 10", len(games))
	}
	return games
}

// byDepth reviews a game as the board does with alpha-beta: it searches each position on its own,
// to a fixed depth.
func byDepth(t testing.TB, g *notation.Game, depth int) (scores []float64) {
	e, err := open.Engine(g.Variant(), open.Spec{Kind: open.NNUE}, open.Settings{Cores: 1, TableBits: tableBits})
	if err != nil {
		t.Fatal(err)
	}
	line := rules.NewGameFrom(g.Variant(), g.Start())
	for i := 0; ; i++ {
		if o, _ := line.Outcome(); o != rules.Ongoing {
			scores = append(scores, float64(o.WDL(rules.White).Score()))
		} else {
			e.NewGame()
			found, err := e.Think(t.Context(), line, engine.Limits{Depth: depth, Analyze: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			score := found.Expected
			if line.Position().Turn == rules.Black {
				score = 1 - score
			}
			scores = append(scores, score)
		}
		if i == g.Ply() {
			return scores
		}
		if o, _ := line.Outcome(); o == rules.Draw {
			line.End(rules.Ongoing, rules.NoReason)
		}
		if err := line.Play(g.Moves()[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// swing collects how much the score changes over moves that lose nothing.
type swing []float64

func (s swing) mean() float64 {
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	return sum / float64(len(s))
}

func (s swing) quantile(q float64) float64 {
	all := slices.Sorted(slices.Values(s))
	return all[int(q*float64(len(all)-1))]
}

// TestScoresDoNotSwing compares how much the score changes over moves that lose nothing, in this
// analysis and in the board's review at depth 6. DAMIER_SWING_NODES sets another number of nodes.
func TestScoresDoNotSwing(t *testing.T) {
	nodes := int64(2_000)
	if text := os.Getenv("DAMIER_SWING_NODES"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		nodes = n
	}
	var ours, theirs swing
	who := &judge{spec: open.Spec{Kind: open.NNUE}, nodes: nodes}
	for _, g := range testGames(t) {
		a, err := who.analyst(t.Context(), g.Variant())
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Review(t.Context(), g.Game, nil)
		if err != nil {
			t.Fatal(err)
		}
		depth := byDepth(t, g, 6)
		before := r.Start
		for i, p := range r.Plies {
			if p.Loss == 0 {
				ours = append(ours, math.Abs(p.Score-before))
				theirs = append(theirs, math.Abs(depth[i+1]-depth[i]))
			}
			before = p.Score
		}
	}
	for _, x := range []struct {
		name string
		swing
	}{{"here", ours}, {"depth 6", theirs}} {
		t.Logf("%s: mean %.4f, 90 %% below %.4f, 99 %% below %.4f, most %.4f, %d moves", x.name,
			x.mean(), x.quantile(0.9), x.quantile(0.99), x.quantile(1), len(x.swing))
	}
	if len(ours) < 300 {
		t.Errorf("%d moves are too few to compare", len(ours))
	}
	if ours.mean() > theirs.mean()/2 || ours.quantile(0.9) > theirs.quantile(0.9)/2 {
		t.Errorf("scores swing by %.4f on the mean, by depth 6 by %.4f", ours.mean(), theirs.mean())
	}
}
