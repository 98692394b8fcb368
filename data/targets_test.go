package data

import "damier/rules"

// targets returns a TargetFunc: values by rule, weight 1, and for full plies the policy that
// policy writes into dst (which has the length of Moves). Other plies are value-only rows if cheap
// is true and left out if it is not. The function keeps the values of the last game and belongs to
// one goroutine.
func targets(rule ValueRule, cheap bool, policy func(dst []float32, g *Game, ply int)) TargetFunc {
	var values []rules.WDL
	var room []float32
	return func(g *Game, ply int) ([]float32, rules.WDL, float32, bool) {
		if ply == 0 {
			values = ValueTargets(values[:0], g, rule)
		}
		p := &g.Plies[ply]
		if !p.Full {
			return nil, values[ply], 1, cheap
		}
		for len(room) < len(p.Moves) {
			room = append(room, 0)
		}
		policy(room[:len(p.Moves)], g, ply)
		return room[:len(p.Moves)], values[ply], 1, true
	}
}
