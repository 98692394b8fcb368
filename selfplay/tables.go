package selfplay

import (
	"damier/mcts"
	"damier/rules"
)

// SetTables makes the actor use endgame tables from the next move on; nil means none. A game that
// reaches a position they know ends with their result, which respects the draw counters; it is the
// outcome that all earlier plies learn. With Config.PlayOn the game goes on. Searches use the
// tables in both cases. SetTables drops the trees of the searches.
func (a *Actor) SetTables(t mcts.Prober) {
	a.tables = t
	if a.searcher != nil {
		a.searcher.SetTables(t)
	}
}

// adjudge ends a game whose position the tables know. It runs after a move, because a record must
// have a ply.
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
