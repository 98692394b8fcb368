// Package mcts is Monte Carlo tree search with an [Evaluator]. It finds moves, and the targets on
// which a network is trained.
//
// [Search.Run] searches on one core, [Search.RunParallel] one tree on several. Both repeat three
// steps with batches of leaves, of one leaf on one core:
//
//	gather     select: down the tree to positions not yet evaluated
//	evaluate   their values, the priors and values of their moves; needs no tree
//	backup     expand the leaves, and pass their values up
//
// [Config] chooses the rule at the root, Gumbel or PUCT; inside the tree it is always PUCT.
// [Result] holds visits, values, the improved policy and the move chosen.
//
// Conventions:
//
//   - A value Q is the expected score in [0,1] of the side to move: win 1, draw 1/2, loss 0.
//     Constants that other programs state for values in [-1,1] are halved here.
//   - A simulation is one descent from the root and its backup. The evaluation of the root is not
//     one: after n simulations of a new tree the visits of the root moves sum to n.
//   - A move that is the only legal one costs no simulation: an edge of the tree leads over all
//     forced plies to the next choice, which may belong to the same side.
//   - A line ends as a [rules.Game] ends: without a legal move it is lost (or won, in some
//     variants), and the move-count rules and repetition are draws. A second occurrence between
//     the start of the game and a position of the tree also counts as a draw
//     ([Config].RepetitionDraw).
//
// With endgame tables ([Search.SetTables]) a position that they know also ends its line; the
// search asks them before it looks for a second occurrence. If they know the root, they choose the
// move.
//
// A node is proved when the rules of the game alone, or tables, decide it: it is won if one move
// is proved to win, and lost or drawn if every move is proved. A search ends when its root is
// proved.
//
// By default there is one path to each node, so its history, and what repetition says about it,
// never changes. [Config].Share makes one node of a position that several orders of moves reach,
// but only right after a man's move or a capture. No earlier position can occur again after that,
// so the history does not matter there either.
package mcts
