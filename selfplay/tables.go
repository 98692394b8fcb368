package selfplay

import (
	"damier/mcts"
	"damier/rules"
)

// Tables are the endgame tables of an actor.
type Tables interface {
	mcts.Prober

	// Solve is Glance with a search for the wins that Glance leaves open.
	Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)
}

// SetTables makes the actor use endgame tables from the next move on; nil means none. A game that
// reaches a position they know ends with their result, which respects the draw counters; it is the
// outcome that all earlier plies learn. With Config.PlayOn the game goes on. Searches use the
// tables in both cases. SetTables drops the trees of the searches.
func (a *Actor) SetTables(t Tables) {
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
