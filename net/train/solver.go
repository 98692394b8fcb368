package train

import (
	"fmt"
	"math"

	"damier/internal/simd"

	"gorgonia.org/gorgonia"
)

var _ gorgonia.Solver = (*solver)(nil)

// solver is AdamW behind Gorgonia's interface: clipping by the global norm, linear warm-up, decoupled weight
// decay, and beside the weights their exponential moving average. Source: Loshchilov and Hutter, "Decoupled
// Weight Decay Regularization", ICLR 2019, algorithm 2. Gorgonia's own Adam adds the decay to the gradient.
type solver struct {
	cfg    Config // resolved
	level  simd.Level
	factor float64 // of the learning rate, set by the schedule

	steps int     // taken so far
	norm  float64 // of the last gradient, before clipping

	// One for each parameter.
	decays        []bool // weights do, biases do not
	moment1       [][]float32
	moment2       [][]float32
	average       [][]float32
	values, grads [][]float32 // of the step under way
}

// Step changes the values by their gradients, or returns an error that wraps ErrNotFinite and changes
// nothing.
func (s *solver) Step(params []gorgonia.ValueGrad) error {
	s.values, s.grads = s.values[:0], s.grads[:0]
	sum := 0.0
	for _, p := range params {
		g, err := p.Grad()
		if err != nil {
			return fmt.Errorf("train: gradient of %v: %w", p, err)
		}
		grad := floats(g)
		sum += simd.SumOfSquares(s.level, grad)
		s.values, s.grads = append(s.values, floats(p.Value())), append(s.grads, grad)
	}
	s.norm = math.Sqrt(sum)
	if math.IsNaN(s.norm) || math.IsInf(s.norm, 0) {
		return fmt.Errorf("train: gradient of step %d: %w", s.steps+1, ErrNotFinite)
	}
	s.steps++
	p := s.update()
	for i, w := range s.values {
		p.Decay = 0
		if s.decays[i] {
			p.Decay = float32(max(s.cfg.WeightDecay, 0))
		}
		p.Step(s.level, w, s.moment1[i], s.moment2[i], s.grads[i], s.average[i])
	}
	return nil
}

// update returns the constants of step s.steps.
func (s *solver) update() simd.AdamW {
	t := float64(s.steps)
	rate := s.cfg.LearningRate * s.factor
	if warm := float64(s.cfg.Warmup); t < warm {
		rate *= t / warm
	}
	scale := 1.0
	if s.cfg.Clip > 0 && s.norm > s.cfg.Clip {
		scale = s.cfg.Clip / s.norm
	}
	return simd.AdamW{
		Rate:  float32(rate),
		Beta1: beta1, Beta2: beta2, Epsilon: epsilon,
		GradScale:   float32(scale),
		Correction1: float32(1 - math.Pow(beta1, t)),
		Correction2: float32(1 - math.Pow(beta2, t)),
		Average:     float32(min(s.cfg.EMADecay, (1+t)/(10+t))),
	}
}
