// Package player plays lattice networks in a run of training: a [Network] searches with any
// mcts.Evaluator, and a [Batcher] is such an evaluator that gathers the leaves of many games into full
// blocks. Everything else plays by package engine.
//
// A Network has the methods of a player of package arena, which this package does not import.
package player
