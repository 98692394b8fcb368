// Package tactics finds combinations in games, proves them, names their themes, and contains a
// collection of them.
//
// A [Tactic] is a position in which the side to move, the solver, wins material or the game by a
// sacrifice: its first move is quiet and forces the opponent to capture, every reply in the line
// is forced, and no other first move wins anything. A [Finder] looks for them in positions of
// games. [Themes] names the themes of one by rules, among them the coup turc. [Read] and [Write]
// use the text format of docs/tactics.md, and [Collection] returns the collection that comes with
// the program.
//
// A [Proof] is a full-width alpha-beta search over material only, without reductions, pruning or
// evaluation. Its depth counts quiet moves of both sides; captures are free, so that no line ends
// within an exchange. A gain that is proved to a depth cannot be avoided or won back by the
// opponent within that many quiet moves.
//
// Conventions: values and gains are in half men, from the solver's point of view. A man is worth
// [Man], a king is worth [King].
//
// The package knows the rules, notation and the search; it reads no files.
package tactics
