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
	examples := run.window.examples
	held := min(len(examples)/10, 5*heldOut)
	if held == 0 {
		return nil, fmt.Errorf("%s has a window of %d positions, too few to fit to; its files are %s", dir, len(examples), windowFiles)
	}
	examples, test := examples[:len(examples)-held], examples[len(examples)-held:]
	m := nnue.New(run.variant, c.Width, c.Seed)
	m.Run, m.Games = run.Model.Run, run.Model.Games
	s, rng, mix := nnue.NewSolver(m), rand.New(rand.NewPCG(c.Seed, 0xf17)), float32(c.Mix)
	s.Decay = float32(c.Decay)
	var room [nnue.Batch]nnue.Example
	began, n := usage.CPU(), int(c.Passes*float64(len(examples)))
	for i := range fitPoints {
		from, to := i*n/fitPoints, (i+1)*n/fitPoints
		p := FitPoint{Examples: to}
		for at := from; at < to; at += nnue.Batch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			batch := room[:min(nnue.Batch, to-at)]
			draw(batch, run.variant, examples, mix, rng)
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
