package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

const guard = 1e30 // the value around guarded slices, which no kernel may read or write

// guarded is a slice with guard values before and after it, at an odd offset.
type guarded struct{ all, s []float32 }

func newGuarded(n int) guarded {
	const margin = 37
	g := guarded{all: make([]float32, n+2*margin)}
	for i := range g.all {
		g.all[i] = guard
	}
	g.s = g.all[margin : margin+n : margin+n]
	clear(g.s)
	return g
}

// random returns a guarded slice of normal values.
func random(rng *rand.Rand, n int) guarded {
	g := newGuarded(n)
	for i := range g.s {
		g.s[i] = float32(rng.NormFloat64())
	}
	return g
}

// check fails the test if a guard value has changed.
func (g guarded) check(t *testing.T, name string) {
	t.Helper()
	margin := (len(g.all) - len(g.s)) / 2
	for i := range margin {
		if g.all[i] != guard || g.all[len(g.all)-1-i] != guard {
			t.Fatalf("%s: written outside the slice, %d values from its ends", name, margin-1-i)
		}
	}
}

// near fails the test unless got is want to 1e-4, relative to the mean
// magnitude of want or to the value itself, whichever is larger.
func near(t *testing.T, name string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: length %d, want %d", name, len(got), len(want))
	}
	scale := 0.0
	for _, v := range want {
		scale += math.Abs(v) / float64(len(want))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i]) - v); !(d <= 1e-4*max(scale, math.Abs(v))) {
			t.Fatalf("%s: element %d of %d is %g, want %g", name, i, len(got), got[i], v)
		}
	}
}
