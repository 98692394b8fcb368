package train

import (
	"errors"
	"math"
)

// ErrNotFinite is wrapped by the error of [Sparse.Step] when the loss or the gradient is infinite
// or NaN.
var ErrNotFinite = errors.New("not finite")

// Loss is the result of a step or an evaluation, a mean over the samples, in nats.
type Loss struct {
	Value    float64 // cross-entropy of the expected score against the target
	GradNorm float64 // Euclidean norm of the gradient; 0 for an evaluation
}

// finite reports whether the loss is finite.
func (l *Loss) finite() bool {
	x := l.Value + l.GradNorm
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}
