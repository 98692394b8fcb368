// Package alphabeta is a classical draughts engine: the baseline with which everything learnt is
// compared.
//
// An [Engine] searches by iterative deepening: principal variation search with a transposition
// table, captures searched to their end at the leaves, moves ordered by table, killers and
// history, late quiet moves reduced, forced captures extended, aspiration windows. Its evaluation
// is made by hand, or given as an [Evaluator]. [Engine.Search] takes [Limits] of depth, nodes and
// time and reports every iteration.
//
// An engine has a named version, "alphabeta-1" for the first. The play of a version never changes:
// a test checks its node counts. A better engine gets a new name, so that old ratings stay
// comparable.
//
// The search of "alphabeta-2" ([Selectivity]) has its own table, with entries of one word and
// buckets of one cache line. Its reductions grow with the logarithms of depth and move number. It
// gives up positions far outside the window: near the leaves by their evaluation, higher up by a
// shallow search (ProbCut: Buro, ICCA Journal 18, 1995). It searches an [Evaluator] unless Config
// names a version. node.go has its nodes, quiesce.go those at a depth of 0 or less, order.go the
// order of moves.
//
// Conventions: a score is in hundredths of a man, from the point of view of the side to move; a
// win in n plies is Mate-n. Depth counts plies. A position is a draw if it occurs a second time on
// the path searched or a third time in the game, or if a move-count rule draws it. A side without
// a legal move has lost, whatever the draw rules say.
//
// Only one goroutine may use an Engine. With Config.Cores it starts helpers that search the same
// position on their own; all share the transposition table. The package knows the rules and no
// networks.
package alphabeta
