// Package tactics finds combinations in games, proves them, names them, and carries a collection of them.
//
// A [Tactic] is a position in which the side to move, the solver, wins material or the game by a sacrifice: its first
// move is quiet and makes the opponent capture, every reply in the line is forced, and no other first move wins
// anything. A [Finder] looks for them in positions of games; [Themes] names what happens in one by rule, the coup turc
// among others; [Read] and [Write] are the text format of docs/tactics.md, and [Collection] is the file that comes
// with the program.
//
// A [Proof] is alpha-beta of full width over material alone, without reductions, pruning or evaluation. Its depth
// counts quiet moves of both sides; captures cost nothing, so that no line ends within an exchange. That a gain is
// proved to a depth says: with that many quiet moves to go the opponent cannot avoid it or win it back.
//
// Conventions: worth and gain are in half men, from the solver's point of view. A man is worth [Man], a king what
// [King] says.
//
// The package knows the rules, notation and the search; it reads no files.
package tactics
