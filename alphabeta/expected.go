package alphabeta

import "math"

// Expecter is an Evaluator that knows what its scores mean.
type Expecter interface {
	Evaluator
	// Expected returns the expected score in [0,1] that s stands for.
	Expected(s Score) float64
}

// Expected returns the expected score in [0,1] that a score of this engine stands for, by the
// evaluator if it is an [Expecter]. For other evaluations a man ahead, 100 points, is 0.73.
func (e *Engine) Expected(s Score) float64 {
	switch {
	case s > MateBound:
		return 1
	case s < -MateBound:
		return 0
	}
	if x, ok := e.config.Evaluator.(Expecter); ok {
		return x.Expected(s)
	}
	return 1 / (1 + math.Exp(-float64(s)/100))
}
