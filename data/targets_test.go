package data

import "damier/rules"

// targets returns a TargetFunc: the scores of values by rule, of full plies, and if cheap is true
// of all others too. The function keeps the values of the last game and belongs to one goroutine.
func targets(rule ValueRule, cheap bool) TargetFunc {
	var values []rules.WDL
	return func(g *Game, ply int) (float32, bool) {
		if ply == 0 {
			values = ValueTargets(values[:0], g, rule)
		}
		return values[ply].Score(), cheap || g.Plies[ply].Full
	}
}
