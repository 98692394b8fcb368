// Package selfplay plays games of the network against itself and hands them over as records.
//
// An [Actor] is one goroutine that plays many games at once and gathers one leaf from each into a full
// batch for its evaluator: no virtual loss, no lock, no waiting. Its games live as long as they take;
// [Actor.Run] can stop after any batch and go on later with other weights.
//
// Each move is searched fully (a policy row) or cheaply (progress only), by playout-cap randomisation
// (Wu, arXiv 1902.10565, section 3.1). A forced move is played for free and gives no row.
//
// Random numbers are keyed by (seed, game number, ply): a game can be played again from its record's
// seed as long as the same weights answer.
//
// The package knows rules, mcts and data. It does not know the network: the evaluator is given to it.
package selfplay
