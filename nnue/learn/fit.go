package learn

import (
	"context"
	"fmt"
	"math/rand/v2"

	"damier/internal/usage"
	"damier/nnue"
)

// FitPoint is how far a fit has come.
type FitPoint struct {
	Examples int     `json:"examples"`    // learnt, repetitions counted
	Of       int     `json:"of"`          // to learn
	CPU      float64 `json:"cpu_seconds"` // of all threads
	Loss     float64 `json:"loss"`        // on examples it does not learn from, in nats
	Train    float64 `json:"train"`       // on those it has learnt since the last point, each before it was
}

// fitPoints is how many points a fit tells of.
const fitPoints = 8

// Fit trains a new model on the window of the run in dir, which nobody may train meanwhile and which stays as it is. Of the
// settings, changed as [Open] does, it looks at seed, width, passes, rate, decay and mix; the rate falls to 0 once, over all
// of the fit. The newest tenth of the window, at most 100,000 examples, is held out for the loss.
func Fit(ctx context.Context, dir string, change func(*Config) error, tell func(FitPoint)) (*nnue.Model, error) {
	if err := isRun(dir); err != nil {
		return nil, err
	}
	run, err := Open(dir, func(*Config) error { return nil })
	if err != nil {
		return nil, err
	}
	defer run.Close()
	c := run.Config
	if err := change(&c); err != nil {
		return nil, err
	}
	if c.Variant != run.Config.Variant || c.Options != run.Config.Options {
		return nil, fmt.Errorf("%w: %s is of %s", ErrConflict, dir, run.variant)
	}
	return run.fit(ctx, c, c.Passes, tell)
}

// heldOutOf returns how many of the newest of n examples a fit does not learn from; 0: n are too few to fit to.
func heldOutOf(n int) int { return min(n/10, 5*heldOut) }

// fit trains a new model on the window, as [Fit] says.
func (r *Run) fit(ctx context.Context, c Config, passes float64, tell func(FitPoint)) (*nnue.Model, error) {
	examples := r.window.examples
	held := heldOutOf(len(examples))
	if held == 0 {
		return nil, fmt.Errorf("%s has a window of %d positions, too few to fit to; its files are %s", r.Dir, len(examples), "window-*.parquet")
	}
	examples, test := examples[:len(examples)-held], examples[len(examples)-held:]
	m := nnue.New(r.variant, c.Width, c.Seed)
	m.Run, m.Generation, m.Games = r.Model.Run, r.Model.Generation, r.Model.Games
	s, rng, mix := nnue.NewSolver(m), rand.New(rand.NewPCG(c.Seed, 0xf17)), float32(c.Mix)
	s.Decay = float32(c.Decay)
	var room [nnue.Batch]nnue.Example
	began, n := usage.CPU(), int(passes*float64(len(examples)))
	for i := range fitPoints {
		from, to := i*n/fitPoints, (i+1)*n/fitPoints
		p := FitPoint{Examples: to, Of: n}
		for at := from; at < to; at += nnue.Batch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			batch := room[:min(nnue.Batch, to-at)]
			draw(batch, r.variant, examples, mix, rng)
			s.Rate = float32(c.Rate) * (1 - float32(at)/float32(n))
			p.Train += s.Learn(batch) / float64(to-from)
		}
		for j := range test {
			p.Loss += s.Loss(nnue.Example{Position: test[j].position, Target: test[j].target(mix)}) / float64(held)
		}
		p.CPU = usage.CPU() - began
		tell(p)
	}
	return m, nil
}
