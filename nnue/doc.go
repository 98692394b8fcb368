// Package nnue is an efficiently updatable neural network (Yu Nasu, 2018) of draughts: small and fast enough to be the
// evaluation of an alpha-beta search.
//
// The board is a vector of zeros and ones, one entry for each kind of piece (own and other men, own and other kings) on each
// square. A hidden layer is computed twice with the same weights, as the side to move sees the board and as the other side
// does; the board is turned round for Black, so that a position and the same position with colours exchanged are worth the
// same. Activations are clipped to [0,1] and squared. An output for the number of pieces on the board weighs all of them:
// the sum is the logit of the expected score of the side to move. All numbers are learnt from games, none is made by hand.
//
//	piece on square --weights--> hidden layer, own view   --\
//	                \-weights--> hidden layer, other view --- outputs[pieces] --> logit
//
// A [Model] holds float32 weights and is slow and obvious; its [Evaluator] computes the same in integers of 16 bits and
// implements [alphabeta.Evaluator]; train.Sparse of package net/train trains it. Whoever searches with
// it need not care which variant it is for: any board will do.
//
// An evaluation from nothing adds some thirty rows of 128 numbers. A search evaluates positions that differ by a move or two: a
// [Cursor] keeps the sums of the last one, and adds and takes away the rows of the pieces that have moved. It follows the
// positions evaluated, the leaves of a search, not its moves.
//
// An [OnePly] judges the leaves of a tree search by the network: it looks at the position after every move, with captures
// played out, and so has the value, the priors and an opinion on each move from one pass over the sums of the leaf.
package nnue
