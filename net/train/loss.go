package train

import (
	"errors"
	"math"
)

// ErrNotFinite is wrapped by the error of [Sparse.Step] when the loss or the gradient is infinite
// or NaN.
var ErrNotFinite = errors.New("not finite")

// Loss is the result of a step or an evaluation. Entropies and losses are in nats, means over the
// samples.
type Loss struct {
	Value float64 // cross-entropy of the expected score against the target

	ValueEntropy float64 // entropy of the mean target: the Value of the best constant guess

	GradNorm float64 // Euclidean norm of the gradient; 0 for an evaluation
}

// finite reports whether the loss is finite.
func (l *Loss) finite() bool {
	x := l.Value + l.GradNorm
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}
