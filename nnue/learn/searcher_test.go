package learn

import (
	"context"
	"math/rand/v2"
	"testing"

	"damier/nnue"
	"damier/rules"
)

// TestTreeExamples: a game by tree search gives the positions of the game with its result, and those of the trees with what
// the search thought of them; none has a capture to make, all are of the variant.
func TestTreeExamples(t *testing.T) {
	for _, name := range []string{"international", "turkish", "breakthrough", "antidraughts"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := Default()
		c.Search, c.Visits, c.Least = tree, 40, 6
		e := nnue.New(v, 32, 1).Evaluator()
		for _, inner := range []bool{false, true} {
			s, err := newSearcher(v, &c, e, inner)
			if err != nil {
				t.Fatal(err)
			}
			a := &actor{variant: v, config: c, rng: rand.New(rand.NewPCG(1, 1)), search: s}
			positions, trees := 0, 0
			for range 3 {
				examples, outcome, err := a.game(context.Background(), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range examples {
					if v.HasCaptures(x.position) || v.CountMoves(x.position) == 0 || !(x.score >= 0 && x.score <= 1) {
						t.Fatalf("%s: score %g", v.FEN(x.position), x.score)
					}
					switch x.result {
					case outcome.WDL(x.position.Turn).Score():
						positions++
					case x.score:
						trees++
					default:
						t.Fatalf("%s: result %g, score %g, the game ends %v", v.FEN(x.position), x.result, x.score, outcome)
					}
				}
			}
			if positions < 20 || inner != (trees > positions) {
				t.Errorf("%s, inner %t: %d positions of games, %d of trees", name, inner, positions, trees)
			}
		}
	}
}

// An operation is a position of self-play by tree search.
func BenchmarkTreeSelfPlay(b *testing.B) {
	v := rules.International
	c := Default()
	c.Search = tree
	s, err := newSearcher(v, &c, nnue.New(v, nnue.Width, 1).Evaluator(), true)
	if err != nil {
		b.Fatal(err)
	}
	a := &actor{variant: v, config: c, rng: rand.New(rand.NewPCG(1, 1)), search: s}
	var room []example
	for n := 0; n < b.N; n += len(room) {
		if room, _, err = a.game(b.Context(), room[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
