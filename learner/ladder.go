package learner

import (
	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/learner/settings"
	"damier/rules"
)

// opponent returns the factory of players of a rung of the ladder.
func opponent(v *rules.Variant, r settings.Rung) arena.Factory {
	return func() (arena.Player, error) {
		if r.Random {
			return arena.NewRandom(0), nil
		}
		return engine.NewAlphaBetaPlayer(v, alphabeta.Config{Version: settings.Baseline, TableBits: 16},
			engine.Limits{Depth: r.Depth, Nodes: int64(r.Nodes)})
	}
}
