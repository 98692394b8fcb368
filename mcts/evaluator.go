package mcts

import (
	"context"

	"damier/rules"
)

// Leaf is one position a search wants evaluated, and the memory its evaluation goes to. Position, Moves
// and Occurrences are set by the search; Priors and Value are written by the [Evaluator], and Values with Valued if it
// has an opinion on each move.
type Leaf struct {
	Position rules.Position
	Moves    []rules.Move // legal moves in canonical order, at least one

	// Occurrences says how often Position has occurred in the game and on the path to the leaf, this
	// time included: 1 for a new position.
	Occurrences int

	Priors []float32 // one for each move, in [0,1], together 1
	Value  rules.WDL // for the side to move

	// Values are what the evaluator thinks of each move, in [0,1] for the side to move, if Valued is set: a move
	// that was not yet tried then counts for so much, and not for a guess from its parent.
	Values []float32
	Valued bool
}

// Evaluator judges positions. Evaluate fills Priors and Value of every leaf, or returns an error and leaves
// them undefined. It must not keep a leaf beyond the call. An Evaluator belongs to one goroutine at a
// time unless its type says otherwise.
type Evaluator interface {
	Evaluate(ctx context.Context, leaves []Leaf) error
}
