// Package engine thinks about positions: one interface for the tree search of package mcts and for the
// alpha-beta search of package alphabeta.
//
// An [Engine] thinks about a game within [Limits] and returns a [Thought]. To ponder, or to analyse
// without end, is to think with Limits.Infinite; to stop is to end the context. A [Player] plays an
// Engine in matches: it has the methods of a player of package arena, which this package does not
// import. The levels of strength, from a beginner's to full, are here too, with the Elo measured of
// them.
//
// Package engine/open makes engines and players of descriptions and files.
package engine
