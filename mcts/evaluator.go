package mcts

import (
	"context"

	"damier/rules"
)

// Leaf is a position to evaluate, and the memory for its evaluation. The search sets Position
// and Moves. The [Evaluator] writes Priors and Value; if it has a value for each move it also
// writes Values and sets Valued.
type Leaf struct {
	Position rules.Position
	Moves    []rules.Move // legal moves in canonical order, at least one

	Priors []float32 // one for each move, in [0,1], sum 1
	Value  rules.WDL // for the side to move

	// Values holds the evaluator's value of each move, in [0,1] for the side to move, if Valued is
	// set. The search uses it for moves not tried yet, in place of a guess from the value of the
	// parent.
	Values []float32
	Valued bool
}

// Evaluator evaluates positions. Evaluate fills Priors and Value of every leaf, or returns an
// error and leaves them undefined. It must not keep a leaf after the call. Only one goroutine at a
// time may use an Evaluator unless its type says otherwise.
type Evaluator interface {
	Evaluate(ctx context.Context, leaves []Leaf) error
}
