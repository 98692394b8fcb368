package train

import (
	"fmt"
	"math"

	"damier/internal/simd"

	"gorgonia.org/gorgonia"
)

var _ gorgonia.Solver = (*solver)(nil)

// solver is AdamW with decoupled weight decay, as a solver of Gorgonia. Source: Loshchilov and
// Hutter, "Decoupled Weight Decay Regularization", ICLR 2019, algorithm 2. Gorgonia's own Adam
// adds the decay to the gradient.
type solver struct {
	cfg     Config // resolved
	level   simd.Level
	workers *workers
	factor  float64 // of the learning rate, from the schedule

	steps int     // number of steps so far
	norm  float64 // Euclidean norm of the last gradient

	// One element for each parameter.
	rates         []float64 // factors of the learning rate; nil means 1
	bounds        []float32 // largest absolute value, 0 for none; nil means none
	moment1       [][]float32
	moment2       [][]float32
	values, grads [][]float32 // set by bind

	// The parameters are divided into pieces for the workers.
	pieces []solverPiece
	now    simd.AdamW // constants of the present step

	squaresDo, updateDo func(worker, i int)
}

// solverPiece is a range of elements of a parameter, and the sum of the squares of its gradient.
type solverPiece struct {
	param, first, end int
	squares           float64
}

// pieceSize is the largest number of elements of a piece. It is a multiple of simd.Lanes, and the
// number that simd.SumOfSquares adds in one go, so that neither the update nor the norm depends on
// the division into pieces.
const pieceSize = 4096

// Step updates the values by their gradients. If a gradient is not finite, it returns an error
// that wraps ErrNotFinite and changes nothing.
func (s *solver) Step(params []gorgonia.ValueGrad) error {
	if err := s.bind(params); err != nil {
		return err
	}
	return s.step()
}

// bind makes later steps work on the memory of params and of their gradients.
func (s *solver) bind(params []gorgonia.ValueGrad) error {
	s.values, s.grads, s.pieces = s.values[:0], s.grads[:0], s.pieces[:0]
	for i, p := range params {
		g, err := p.Grad()
		if err != nil {
			return fmt.Errorf("train: gradient of %v: %w", p, err)
		}
		grad := floats(g)
		s.values, s.grads = append(s.values, floats(p.Value())), append(s.grads, grad)
		for first := 0; first < len(grad); first += pieceSize {
			s.pieces = append(s.pieces, solverPiece{param: i, first: first, end: min(first+pieceSize, len(grad))})
		}
	}
	s.squaresDo, s.updateDo = s.sumSquares, s.updatePiece
	return nil
}

// step is Step for the bound parameters. It does not allocate.
func (s *solver) step() error {
	s.workers.run(len(s.pieces), s.squaresDo)
	sum, ofParam := 0.0, 0.0
	for i, p := range s.pieces {
		ofParam += p.squares
		if i+1 == len(s.pieces) || s.pieces[i+1].param != p.param {
			sum += ofParam
			ofParam = 0
		}
	}
	s.norm = math.Sqrt(sum)
	if math.IsNaN(s.norm) || math.IsInf(s.norm, 0) {
		return fmt.Errorf("train: gradient of step %d: %w", s.steps+1, ErrNotFinite)
	}
	s.steps++
	s.now = s.update()
	s.workers.run(len(s.pieces), s.updateDo)
	return nil
}

func (s *solver) sumSquares(_, i int) {
	p := &s.pieces[i]
	p.squares = simd.SumOfSquares(s.level, s.grads[p.param][p.first:p.end])
}

func (s *solver) updatePiece(_, i int) {
	p := s.pieces[i]
	now := s.now
	if s.rates != nil {
		now.Rate *= float32(s.rates[p.param])
	}
	of := func(all [][]float32) []float32 { return all[p.param][p.first:p.end] }
	now.Step(s.level, of(s.values), of(s.moment1), of(s.moment2), of(s.grads))
	if s.bounds != nil && s.bounds[p.param] > 0 {
		simd.Clip(s.level, of(s.values), s.bounds[p.param])
	}
}

// update returns the constants of step s.steps.
func (s *solver) update() simd.AdamW {
	t := float64(s.steps)
	return simd.AdamW{
		Rate:  float32(s.cfg.LearningRate * s.factor),
		Beta1: beta1, Beta2: beta2, Epsilon: epsilon,
		Decay:       float32(max(s.cfg.WeightDecay, 0)),
		Correction1: float32(1 - math.Pow(beta1, t)),
		Correction2: float32(1 - math.Pow(beta2, t)),
	}
}
