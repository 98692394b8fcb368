// Package selfplay plays games of a network against itself and returns them as records.
//
// An [Actor] is one goroutine that plays one game after another; a machine runs one actor for each
// core. [Actor.Run] can stop after any move and continue later with other weights.
//
// A [Searcher] chooses the moves: by tree search, or by alpha-beta of a few plies. The records
// have the same form: every searched position is a row with the value of its search, and a tree
// search adds the positions of its tree that it has visited often. A forced move is not searched
// and gives no row, and neither does a move drawn at random.
//
// [Strays] searches positions that games hardly reach, for a network to learn besides.
//
// Random numbers depend on (seed, game number, ply) only, so with the same weights a game can be
// played again from the seed in its record.
//
// The package knows the searches, rules and data, but no networks: its evaluators are given to it.
package selfplay
