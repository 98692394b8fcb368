// Package nnue is an efficiently updatable neural network (Yu Nasu, 2018) for draughts. It is
// small and fast enough for the evaluation of an alpha-beta search.
//
// The input is a vector of zeros and ones: one entry for each kind of piece (own and other men,
// own and other kings) on each square. The hidden layer is computed twice with the same weights:
// from the point of view of the side to move and of the other side. The board is rotated for
// Black, so that a position and the same position with colours exchanged have the same value.
// Activations are clipped to [0,1] and squared. The number of pieces on the board selects one of
// several outputs, whose weighted sum of the activations is the logit of the expected score of the
// side to move. All weights are learnt from games.
//
//	piece on square --weights--> hidden layer, own view   --\
//	                \-weights--> hidden layer, other view --- outputs[pieces] --> logit
//
// A [Model] holds float32 weights; its evaluation is slow and obvious. Its [Evaluator] computes
// the same in 16-bit integers and implements [alphabeta.Evaluator]. train.Sparse of package
// net/train trains a Model. The package works for any variant and board.
//
// A full evaluation adds some thirty rows of 128 numbers. A search evaluates positions that differ
// by a move or two, so a [Cursor] keeps the sums of the last position, and adds and subtracts the
// rows of the pieces that have moved since. It follows the positions evaluated (the leaves of a
// search), not the moves of the search.
//
// An [OnePly] evaluates the leaves of a tree search: it looks at the position after every move,
// with captures played out. From one pass over the sums of the leaf it gets the value, the priors
// and the value of each move.
package nnue
