package train

import (
	"errors"
	"math"
)

// ErrNotFinite is wrapped by the error of [Sparse.Step] when the loss or the gradient is infinite or not a
// number.
var ErrNotFinite = errors.New("not finite")

// Loss is what a step or an evaluation found. Entropies and losses are in nats, means over the samples weighted
// with their weight.
type Loss struct {
	Value float64 // cross-entropy of the expected score against the target

	ValueEntropy float64 // of the mean target: Value of the best constant guess

	GradNorm float64 // Euclidean norm of the gradient; 0 for an evaluation
}

// finite reports whether the loss is a number.
func (l *Loss) finite() bool {
	x := l.Value + l.GradNorm
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}
