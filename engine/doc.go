// Package engine thinks about positions: one interface for the tree search of package mcts and for
// the alpha-beta search of package alphabeta.
//
// An [Engine] thinks about a game within [Limits] and returns a [Thought]. To ponder, or to
// analyse without end, think with Limits.Infinite; to stop, end the context. A [Player] plays
// matches with an Engine: it has the methods of a player of package arena, which this package does
// not import. The package also has the levels of strength, from beginner to full, and their
// measured Elo.
//
// Package engine/open makes engines and players from descriptions and files.
package engine
