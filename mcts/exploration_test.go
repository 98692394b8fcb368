package mcts

import (
	"math"
	"testing"
)

// TestExploration compares the weights with the formula in the comment of [Config].CPuctGrowth.
func TestExploration(t *testing.T) {
	for _, growth := range []float64{-1, 0, 0.35, 0.5} {
		x := newExploration(0.625, growth)
		for _, visits := range []int32{0, 1, 2, 200, 2000, fewWeights - 1, fewWeights, 40_000, math.MaxInt32} {
			n := float64(visits)
			want := 0.625 * math.Pow(n/2000, max(growth, 0)) * math.Sqrt(n)
			if got := x.weight(visits); math.Abs(got-want) > 1e-12*want {
				t.Errorf("growth %g, %d visits: %g, want %g", growth, visits, got, want)
			}
		}
		if growth <= 0 && x.few != nil {
			t.Errorf("growth %g: weights are kept", growth)
		}
	}
}
