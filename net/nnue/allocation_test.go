//go:build !race

package nnue

import (
	"testing"

	"damier/alphabeta"
	"damier/rules"
)

// Under the race detector a sync.Pool forgets at random what it was given, so that an Evaluator
// allocates.
func TestScoreDoesNotAllocate(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant) {
		e := scrambled(v, Width).Evaluator()
		ps := positions(v, 64)
		for name, e := range map[string]alphabeta.Evaluator{"evaluator": e, "cursor": e.Fork()} {
			if n := testing.AllocsPerRun(20, func() {
				for _, p := range ps {
					e.Score(p)
				}
			}); n != 0 {
				t.Errorf("%s: %g allocations", name, n)
			}
		}
	})
}
