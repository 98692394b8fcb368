package nnue

import (
	"cmp"

	"damier/mcts"
)

// TreeSearch fills the zero fields of c with the constants of a tree search whose evaluator is a
// [OnePly]. They are the result of matches: docs/experiments/tree.md.
func TreeSearch(c mcts.Config) mcts.Config {
	c.Root = cmp.Or(c.Root, mcts.PUCT)
	c.Best = cmp.Or(c.Best, 0.7)
	c.CPuctGrowth = cmp.Or(c.CPuctGrowth, 0.35)
	c.LeastVisits = cmp.Or(c.LeastVisits, 0.2)
	c.Scout = cmp.Or(c.Scout, 4)
	c.Share, c.Reuse = true, true
	return c
}
