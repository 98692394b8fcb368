package selfplay

import (
	"damier/mcts"
	"damier/rules"
)

// SetTables lets the actor ask endgame tables from the next move on, nil for none. A game that has entered them is over
// with the result that they give it, draw counters included: that is the label of all that was played before. With
// Config.PlayOn the game goes on. Searches ask them in either case, and what their trees hold is dropped.
func (a *Actor) SetTables(t mcts.Prober) {
	a.tables = t
	if a.searcher != nil {
		a.searcher.SetTables(t)
	}
}

// adjudge ends a game that the tables know. It is asked after a move: a record has a ply.
func (a *Actor) adjudge() {
	g := a.game
	if a.tables == nil || a.cfg.PlayOn || g.Over() {
		return
	}
	p := g.Position()
	if p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() > a.tables.Pieces() {
		return
	}
	if outcome, _, exact, ok := a.tables.Solve(p); ok && exact {
		g.End(outcome, rules.Adjudication)
	}
}
