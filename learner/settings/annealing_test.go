package settings

import (
	"testing"
)

func TestAnnealing(t *testing.T) {
	byDefault, two, never := Generation{Annealing: []string{"0.5:0.33", "0.85:0.1"}}, Generation{Annealing: []string{"0.25:0.3", "0.9:0.03"}}, Generation{}
	for _, c := range []struct {
		g              Generation
		progress, want float64
	}{
		{byDefault, 0, 1}, {byDefault, 0.49, 1}, {byDefault, 0.5, 0.33}, {byDefault, 0.84, 0.33}, {byDefault, 0.85, 0.1}, {byDefault, 1, 0.1},
		{two, 0.24, 1}, {two, 0.25, 0.3}, {two, 0.89, 0.3}, {two, 0.95, 0.03}, {never, 1, 1},
	} {
		if got := c.g.RateFactor(c.progress); got != c.want {
			t.Errorf("%q at %g: %g, want %g", c.g.Annealing, c.progress, got, c.want)
		}
		if got := c.g.FitFactor(c.progress); got != c.want {
			t.Errorf("a fit of %q at %g: %g, want %g", c.g.Annealing, c.progress, got, c.want)
		}
		c.g.Falling = true
		if got, want := c.g.FitFactor(c.progress), c.want*(1-c.progress); got != want {
			t.Errorf("a fit of %q that falls, at %g: %g, want %g", c.g.Annealing, c.progress, got, want)
		}
	}
}
