package data

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"damier/rules"
)

// variants returns every variant, also with each option that changes what a record must hold.
func variants(t testing.TB) []*rules.Variant {
	t.Helper()
	var all []*rules.Variant
	for _, name := range rules.Names() {
		all = append(all, lookup(t, name, nil))
	}
	return append(all, lookup(t, "turkish", rules.Options{"crown": "at-once"}), lookup(t, "frisian", rules.Options{"kings": "strict"}))
}

func lookup(t testing.TB, name string, o rules.Options) *rules.Variant {
	t.Helper()
	v, err := rules.Lookup(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRoundTripFamily writes and reads random games of every variant, and draws their rows from a
// window.
func TestRoundTripFamily(t *testing.T) {
	dir := t.TempDir()
	all := variants(t)
	if testing.Short() { // with the race detector
		all = all[:4]
	}
	for i, v := range all {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		games, want := make([]Game, 8), make([]Game, 8)
		for j := range games {
			games[j] = randomGame(rng, v, fmt.Sprint(j), 120)
			want[j] = rounded(games[j])
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", i))
		if _, err := WriteShard(dir, filepath.Base(path), v, games); err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		got, err := ReadShard(path, v)
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if diff := equalGames(want, got); diff != "" {
			t.Fatalf("%v (-want +got):\n%s", v, diff)
		}
		if _, err := ReadShard(path, other(v)); !errors.Is(err, ErrForeign) {
			t.Errorf("games of %v read as those of %v: %v", v, other(v), err)
		}

		w := NewWindow(v, WindowConfig{MinRows: 10}, targets(ValueRule{}, true))
		var plies, trees []rules.Position
		for _, g := range got {
			w.Add(g)
			for _, p := range g.Plies {
				plies = append(plies, p.Position)
				for _, n := range p.Tree {
					if !v.HasCaptures(n.Position) {
						trees = append(trees, n.Position)
					}
				}
			}
		}
		plies = append(plies[len(plies)-(w.Len()-w.Trees()):], trees[len(trees)-w.Trees():]...)
		for i := range w.Len() {
			if got := w.At(i).Position; got != withoutCounters(plies[i]) {
				t.Fatalf("%v: row %d of the window is %+v, the ply %+v", v, i, got, plies[i])
			}
		}
	}
}

// other returns another variant of the same board if there is one.
func other(v *rules.Variant) *rules.Variant {
	if v.Name == "russian" {
		w, _ := rules.Lookup("brazilian", nil)
		return w
	}
	w, _ := rules.Lookup("russian", nil)
	return w
}

// TestMoveNames: no two legal moves have the same name, in random games and endings of every
// variant.
func TestMoveNames(t *testing.T) {
	for i, v := range variants(t) {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		names := newMoveNames(v)
		for range 30 {
			g := rules.NewGame(v)
			if rng.IntN(2) == 0 {
				g = rules.NewGameFrom(v, randomEnding(rng, v))
			}
			for !g.Over() && g.Ply() < 80 {
				moves := g.Legal()
				seen := map[string]bool{}
				for _, m := range moves {
					seen[names.of(m)] = true
				}
				if len(seen) != len(moves) {
					t.Fatalf("%v: %s: %d names for %d moves", v, v.FEN(g.Position()), len(seen), len(moves))
				}
				must(g.Play(moves[rng.IntN(len(moves))]))
			}
		}
	}
	// A man that is crowned during its capture, where that distinguishes moves.
	for crown, want := range map[string]string{"end": "17x1x9", "at-once": "17x5x4x9k 17x6x4x9k 17x7x4x9k 17x8x4x9k"} {
		v := lookup(t, "turkish", rules.Options{"crown": crown})
		p, err := rules.ParseFEN(v, "W:W17:B9,4")
		must(err)
		var got []string
		for _, m := range v.AppendMoves(nil, p) {
			got = append(got, string(appendMove(nil, v, m)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("crown=%s: %v, want %s", crown, got, want)
		}
	}
}

// TestMoveNamesMirrored: a variant that numbers squares from White's side does so in records too.
func TestMoveNamesMirrored(t *testing.T) {
	v := lookup(t, "spanish", nil)
	p, err := rules.ParseFEN(v, "W:WK1:B10,11,20,28")
	must(err)
	for _, m := range v.AppendMoves(nil, p) {
		squares := strings.Split(string(appendMove(nil, v, m)), "x")
		short := v.FormatMove(m)
		if from, to, _ := strings.Cut(short, "x"); squares[0] != from || squares[1] != to || len(squares) != 2+m.Captured().Len() {
			t.Errorf("%v is written %v", short, squares)
		}
		for _, s := range squares[2:] {
			if s != "10" && s != "11" && s != "20" && s != "28" {
				t.Errorf("%v captures on %s", short, s)
			}
		}
	}
}

// TestRefusesRoad: the one counter that a record does not keep is 0 at the start of a game.
func TestRefusesRoad(t *testing.T) {
	v := lookup(t, "russian", nil)
	g := randomPlay(rand.New(rand.NewPCG(1, 1)), v, v.Start(), "a", 10)
	g.Start.Road, g.Plies[0].Position.Road = 3, 3
	if _, err := WriteShard(t.TempDir(), "a.parquet", v, []Game{g}); err == nil || !strings.Contains(err.Error(), "main road") {
		t.Errorf("a start with a count of the main road: %v", err)
	}
}
