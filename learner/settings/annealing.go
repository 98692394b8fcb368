package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// annealed is one entry of Generation.Annealing.
type annealed struct{ share, factor float64 }

func parseAnnealed(s string) (annealed, error) {
	var a annealed
	share, factor, found := strings.Cut(s, ":")
	var errs [2]error
	a.share, errs[0] = strconv.ParseFloat(share, 64)
	a.factor, errs[1] = strconv.ParseFloat(factor, 64)
	if !found || errs[0] != nil || errs[1] != nil {
		return a, fmt.Errorf("%q is not share:factor, such as 0.5:0.3", s)
	}
	return a, nil
}

// RateFactor returns the factor of the learning rate at a share of the run, in [0,1].
func (g Generation) RateFactor(progress float64) float64 {
	factor := 1.0
	for _, s := range g.Annealing {
		if a, err := parseAnnealed(s); err == nil && a.share <= progress {
			factor = a.factor
		}
	}
	return factor
}

// FitFactor returns the factor of the learning rate at a share of a fit, in [0,1]: that of a run,
// or if the rate of a run falls within every generation, one that falls to 0 over the whole fit.
func (g Generation) FitFactor(progress float64) float64 {
	factor := g.RateFactor(progress)
	if g.Falling {
		factor *= 1 - progress
	}
	return factor
}

// validateAnnealing returns an error that names the first wrong entry.
func (g Generation) validateAnnealing() error {
	last := 0.0
	for _, s := range g.Annealing {
		a, err := parseAnnealed(s)
		switch {
		case err != nil:
			return err
		case !(a.share > last && a.share < 1):
			return fmt.Errorf("%s: shares of the run must lie between 0 and 1 and ascend", s)
		case !(a.factor > 0 && a.factor <= 1):
			return fmt.Errorf("%s: a factor must be above 0 and at most 1", s)
		}
		last = a.share
	}
	return nil
}
