package webtest

import (
	"context"
	"time"

	"damier/engine"
	"damier/mcts"
	"damier/rules"
	"damier/web/searches"
)

// Evens is an evaluator that returns uniform priors and Value for every position. It takes Pause
// for each call, so that a search reports before it ends.
type Evens struct {
	Value rules.WDL
	Pause time.Duration
}

// Evaluate fills the leaves.
func (e Evens) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	time.Sleep(e.Pause)
	for i := range leaves {
		for j := range leaves[i].Priors {
			leaves[i].Priors[j] = 1 / float32(len(leaves[i].Priors))
		}
		leaves[i].Value = e.Value
	}
	return nil
}

// Networks provides a tree search over e, and alpha-beta of the baseline in place of a trained
// network, in the variants for which has is true.
func Networks(e mcts.Evaluator, has func(*rules.Variant) bool) searches.Networks {
	return searches.Networks{
		Network: func(v *rules.Variant) (string, bool) { return "", has(v) },
		Open: func(v *rules.Variant, player, _ string) (engine.Engine, error) {
			if !has(v) {
				return nil, searches.ErrNoNetwork
			}
			if player == searches.Trained {
				return engine.NewBaseline(v, 12)
			}
			return engine.NewTree(v, engine.TreeConfig{
				Evaluators: []mcts.Evaluator{e}, Search: mcts.Config{Root: mcts.PUCT, MaxNodes: 100_000},
				Repeatable: true, Own: engine.Limits{Nodes: 1},
			})
		},
	}
}
