// Package alphabeta is a classical draughts engine: the baseline that everything learnt is measured
// against.
//
// An [Engine] searches by iterative deepening: principal variation search with a transposition table,
// captures searched out at the leaves, moves ordered by table, killers and history, late quiet moves
// reduced, forced captures extended, aspiration windows. Its evaluation is made by
// hand, or given as an [Evaluator]. [Engine.Search] takes [Limits] of depth, nodes and time and reports every iteration.
//
// An engine has a named version, "alphabeta-1" for the first, whose play is frozen: a test holds its node
// counts. A better one gets a new name, so that ratings of years ago stay comparable.
//
// The search of "alphabeta-2" ([Selectivity]) has a table of its own, of one word an entry and one line of the cache a
// bucket, reductions that grow with the logarithms of depth and number, and gives up positions that are far beyond the
// window: near the leaves by their evaluation, above by a shallow search (ProbCut: Buro, ICCA Journal 18, 1995). An
// [Evaluator] is searched by it unless a version is named.
//
// Conventions: a score is in hundredths of a man, from the point of view of the side to move; a win in n
// plies is Mate-n. Depth counts plies. Draws: a position that occurs a second time on the path searched, or
// a third time in the game, is a draw, and so is one drawn by a move-count rule; a side without a legal
// move has lost first.
//
// An Engine belongs to one goroutine. It may have others help it (Config.Cores): they search the same position for
// themselves, and all share the transposition table. The package knows the rules and nothing of networks.
package alphabeta
