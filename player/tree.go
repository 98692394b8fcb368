package player

import (
	"cmp"

	"damier/mcts"
	"damier/nnue"
	"damier/rules"
)

// TreeSearch returns the constants of a search whose evaluator tells what it thinks of each move, as an
// [nnue.OnePly] does, and that play has tuned: what is zero in c. See docs/experiments/tree.md.
func TreeSearch(c mcts.Config) mcts.Config {
	c.Root = cmp.Or(c.Root, mcts.PUCT)
	c.Best = cmp.Or(c.Best, 0.7)
	c.LeastVisits = cmp.Or(c.LeastVisits, 0.2)
	c.Scout = cmp.Or(c.Scout, 64)
	c.Forcing = cmp.Or(c.Forcing, -1)
	c.MaxNodes = cmp.Or(c.MaxNodes, treeNodes)
	c.Share, c.Reuse = true, true
	return c
}

// treeNodes is the most nodes of a tree in play, some 250 bytes each.
const treeNodes = 4_000_000

// NewTree returns a player by tree search over an NNUE, on so many cores where time ends its searches. The constants
// of its search are c.Search as it is: see [TreeSearch] and [Spec.TreeSearch].
func NewTree(v *rules.Variant, e *nnue.Evaluator, cores int, look nnue.OnePlyConfig, c Config) (*Network, error) {
	var evs []mcts.Evaluator
	for range max(cores, 1) {
		evs = append(evs, e.OnePly(look))
	}
	return NewParallel(v, evs, c)
}
