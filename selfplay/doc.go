// Package selfplay plays games of a network against itself and hands them over as records.
//
// An [Actor] is one goroutine that plays one game after another; the cores of a machine are filled by as
// many actors. [Actor.Run] can stop after any move and go on later with other weights.
//
// A [Searcher] chooses the moves: a tree search, or alpha-beta of a few plies. The records are the same:
// every searched position is a row with what its search thought of it, and a tree search adds the positions
// of its tree that it has visited often. A forced move is played for free and gives no row, nor does one of
// the moves that are drawn at random.
//
// Random numbers are keyed by (seed, game number, ply): a game can be played again from its record's
// seed as long as the same weights answer.
//
// The package knows the searches, rules and data. It does not know the network: its judges are given to it.
package selfplay
