// Package mcts is Monte Carlo tree search guided by an [Evaluator]: it finds moves, and the targets that
// a network is trained on.
//
// A [Search] drives one tree, step by step, so that one goroutine can gather leaves from many searches
// into full batches:
//
//	s.Start(game, budget, rng)
//	for !s.Done() {
//		leaves = s.Gather(leaves[:0], 1) // select: down the tree to positions nobody has judged
//		evaluator.Evaluate(ctx, leaves)  // the caller's, over as many searches as it likes
//		s.Backup(leaves)                 // expand and back up
//	}
//	result := s.Result()
//
// [Search.Run] is that loop for a single game, [Search.RunParallel] the same on several cores.
// [Config] chooses the rule at the root, Gumbel or PUCT;
// inside the tree it is PUCT always. [Result] holds visits, values, the improved policy and the choice.
//
// Conventions, said once:
//
//   - A value Q is the expected score in [0,1] of the side to move: win 1, draw 1/2, loss 0. Constants
//     that other programs state for values in [-1,1] are halved here.
//   - A simulation is one descent from the root and its backup. The evaluation of the root is none: after
//     n simulations of a new tree the visits of the root moves sum to n.
//   - A move that is the only legal one is played for free: an edge of the tree leads over all forced
//     plies to the next choice, which may belong to the same side.
//   - The rules end a line as they end a [rules.Game]: without a legal move it is lost, or won where the
//     variant has it so, and the move-count rules and repetition are draws. A second occurrence on the way
//     from the game's start to a position of the tree counts as a draw too ([Config].RepetitionDraw).
//
// Where tables are given ([Search.SetTables]) a position that they know is the end of its line too, before a second
// occurrence is looked for; in a root that they know the move is theirs.
//
// A node is proved when the referee's rules alone, or tables, decide it: won where a move is proved to win, lost or drawn where every
// move is proved. A search ends when its root is proved.
//
// By default a node has one path to it, therefore one history, and what repetition says about it never changes.
// [Config].Share makes one node of positions that several orders of moves lead to, but only right after a man's move or
// a capture, before which nothing can come again: there the history says nothing either.
package mcts
