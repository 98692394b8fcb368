package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"damier/rules"
)

func lookup(t testing.TB, name string) *rules.Variant {
	t.Helper()
	v, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFamily searches games and endings of every variant; check holds every node of the trees
// against rules.Game.
func TestFamily(t *testing.T) {
	for _, name := range rules.Names() {
		v := lookup(t, name)
		rng := rand.New(rand.NewPCG(8, 1))
		ends := 0
		for i := range 24 {
			g := rules.NewGame(v)
			playRandom(g, rng, rng.IntN(60))
			if i%3 > 0 {
				// Breakthrough is over with the first king, so few random endings of it would go
				// on.
				for g = randomEndingOf(v, rng, 1+rng.IntN(4), 1+rng.IntN(4)); len(g.Legal()) < 2; {
					g = randomEndingOf(v, rng, 1+rng.IntN(4), 1+rng.IntN(4))
				}
				playRandom(g, rng, rng.IntN(8))
			}
			s := NewSearch(v, Config{Root: roots[i%2], RepetitionDraw: 2 + i%2})
			run(t, s, g, Budget{Simulations: 150, Noise: 1}, rng, scatter, 1+i%4)
			for j := range s.nodes {
				if len(s.only) == 0 && s.nodes[j].state == terminal {
					ends++
				}
			}
		}
		if ends == 0 {
			t.Errorf("%s: no search saw the end of a game", name)
		}
	}
}

// TestWonByTheVariant: the search finds the moves that win by the rules of a variant, where the
// evaluator knows nothing. Which moves win is found by playing out every line.
func TestWonByTheVariant(t *testing.T) {
	for _, c := range []struct{ variant, fen, wins string }{
		// 21x32 takes White's last man, and who has no piece has won; 32-28 keeps it.
		{"antidraughts", "W:W32:B21", "32-27"},
		{"antidraughts", "W:W31,32:B16,21", "31-26 31-27 32-27"},
		// Two moves to the last row against two: the side to move is first, if it runs.
		{"breakthrough", "W:W11,46:B40,5", "11-6 11-7"},
		{"breakthrough", "B:W16,46:B34,5", "34-39 34-40"},
	} {
		v := lookup(t, c.variant)
		p, err := rules.ParseFEN(v, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGameFrom(v, p)
		var wins []string
		for _, m := range g.Legal() {
			if solve(v, v.Play(p, m), 9) < 0 {
				wins = append(wins, v.FormatMove(m))
			}
		}
		if got := strings.Join(wins, " "); got != c.wins || len(wins) == len(g.Legal()) {
			t.Errorf("%s %s: %s win, want %s", c.variant, c.fen, got, c.wins)
		}
		for _, root := range roots {
			r := run(t, NewSearch(v, Config{Root: root}), g, Budget{Simulations: 500}, nil, uniform, 1)
			if best := v.FormatMove(r.Moves[r.Best]); !slices.Contains(wins, best) || r.Root.Win < 0.6 {
				t.Errorf("%s %s, %s: plays %s at %v, and %s win", c.variant, c.fen, root, best, r.Root, c.wins)
			}
		}
		// The same move is no win in international draughts.
		other := rules.NewGameFrom(rules.International, p)
		if r := run(t, NewSearch(rules.International, Config{}), other, Budget{Simulations: 500}, nil, uniform, 1); r.win || r.Root.Win > 0.6 {
			t.Errorf("international %s: %v", c.fen, r.Root)
		}
	}
}

// TestLongRepetition: positions are found again beyond the 255 plies that Position.Quiet counts.
func TestLongRepetition(t *testing.T) {
	v := lookup(t, "antidraughts") // kings may move as long as they like
	p, err := rules.ParseFEN(v, "W:WK46,K47,K48:BK5,K10,K15")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 1))
	g := rules.NewGameFrom(v, p)
	seen := map[rules.Position]bool{}
	still := func(p rules.Position) rules.Position { p.Quiet = 0; return p }
	for g.Ply() < 300 {
		seen[still(g.Position())] = true
		var fresh []rules.Move
		for _, m := range g.Legal() {
			if q := v.Play(g.Position(), m); !v.HasCaptures(q) && !seen[still(q)] {
				fresh = append(fresh, m)
			}
		}
		if len(fresh) == 0 {
			t.Fatalf("no quiet move to a new position at ply %d", g.Ply())
		}
		if err := g.Play(fresh[rng.IntN(len(fresh))]); err != nil {
			t.Fatal(err)
		}
	}
	// Back to the positions of the beginning: each comes again after all 300 plies.
	if n := len(window(g, g.Ply())); n != 300 {
		t.Errorf("%d positions can be repeated, want 300", n)
	}
	again := 0
	for g.Ply() > 280 && again == 0 { // a position in which something is proved soon sees nothing again
		s := NewSearch(v, Config{})
		run(t, s, g, Budget{Simulations: 2000, Noise: 1}, rng, scatter, 4)
		for i := range s.nodes {
			if n := &s.nodes[i]; s.boards[i].Quiet == math.MaxUint8 && n.state == terminal && n.draw() == 1 {
				again++
			}
		}
		g.Undo()
	}
	if again == 0 {
		t.Error("the search saw no position again")
	}
}

// solve returns 1 if the side to move wins within depth plies, -1 if it loses, else 0.
func solve(v *rules.Variant, p rules.Position, depth int) int {
	moves := v.AppendMoves(nil, p)
	if len(moves) == 0 {
		if outcome, _ := v.Stuck(p); outcome == rules.Win(p.Turn) {
			return 1
		}
		return -1
	}
	if depth == 0 {
		return 0
	}
	best := -1
	for _, m := range moves {
		best = max(best, -solve(v, v.Play(p, m), depth-1))
		if best == 1 {
			break
		}
	}
	return best
}
