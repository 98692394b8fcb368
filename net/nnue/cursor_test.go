package nnue

import (
	"math/rand/v2"
	"testing"

	"damier/alphabeta"
	"damier/internal/simd"
	"damier/rules"
)

// A cursor that goes from position to position, near ones and far ones, gives the scores of one
// that begins anew.
func TestCursorGoesOn(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant) {
		m := scrambled(v, Width)
		rng := rand.New(rand.NewPCG(3, 3))
		far := positions(v, 100)
		for _, level := range simd.Levels() {
			e := m.evaluator(level)
			c := e.Cursor()
			check := func(p rules.Position) {
				if got, want := c.Score(p), e.Cursor().Score(p); got != want {
					t.Fatalf("%v, %s: %d, anew %d", level, v.FEN(p), got, want)
				}
			}
			for range 3 {
				for g := rules.NewGame(v); !g.Over() && g.Ply() < 150; {
					legal := g.Legal()
					for _, move := range legal {
						check(v.Play(g.Position(), move))
					}
					if rng.IntN(10) == 0 {
						check(far[rng.IntN(len(far))])
					}
					if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// An engine searches with a cursor of its own, and finds what it finds without.
func TestEngineForks(t *testing.T) {
	v := rules.International
	e := scrambled(v, Width).Evaluator()
	var found [2]alphabeta.Info
	for i, evaluator := range []alphabeta.Evaluator{e, struct{ alphabeta.Evaluator }{e}} {
		engine, err := alphabeta.New(v, alphabeta.Config{TableBits: 12, Evaluator: evaluator})
		if err != nil {
			t.Fatal(err)
		}
		if found[i], err = engine.Search(t.Context(), rules.NewGame(v), alphabeta.Limits{Depth: 6}, nil); err != nil {
			t.Fatal(err)
		}
	}
	a, b := found[0], found[1]
	if a.Score != b.Score || a.Nodes != b.Nodes || a.PV[0] != b.PV[0] {
		t.Errorf("with forks %+v, without %+v", a, b)
	}
}
