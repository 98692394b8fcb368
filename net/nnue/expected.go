package nnue

import (
	"math"

	"damier/alphabeta"
)

// Expected returns the expected score in [0,1] for a score of an [Evaluator]. A forced win is 1, a
// forced loss 0.
func Expected(s alphabeta.Score) float64 {
	switch {
	case s > alphabeta.MateBound:
		return 1
	case s < -alphabeta.MateBound:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(s)/Points))
}

// Expected implements [alphabeta.Expecter].
func (e *Evaluator) Expected(s alphabeta.Score) float64 { return Expected(s) }

// Expected implements [alphabeta.Expecter].
func (c *Cursor) Expected(s alphabeta.Score) float64 { return Expected(s) }
