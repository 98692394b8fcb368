package player

import (
	"cmp"

	"damier/mcts"
	"damier/nnue"
	"damier/rules"
)

// TreeSearch returns the constants of a search in play, those of [nnue.TreeSearch] and the room for its tree: what is zero
// in c.
func TreeSearch(c mcts.Config) mcts.Config {
	c.MaxNodes = cmp.Or(c.MaxNodes, treeNodes)
	return nnue.TreeSearch(c)
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
