package alphabeta

import "math"

// Expecter is an Evaluator that can convert its scores to expected scores.
type Expecter interface {
	Evaluator
	// Expected returns the expected score in [0,1] for score s.
	Expected(s Score) float64
}

// Expected returns the expected score in [0,1] for a score of this engine. It asks the evaluator
// if that is an [Expecter]. For other evaluations 100 points, a man ahead, give 0.73.
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
