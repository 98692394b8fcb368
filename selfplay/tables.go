package selfplay

import (
	"damier/mcts"
	"damier/rules"
)

// SetTables lets the actor ask endgame tables from the next move on, nil for none. A game that has entered them is over
// with the result that they give it, draw counters included: that is the label of all that was played before. With
// Config.PlayOn the game goes on. Searches ask them in either case, and what their trees hold is dropped.
func (a *Actor) SetTables(t mcts.Prober) {
	a.looking.Lock()
	defer a.looking.Unlock()
	a.tables = t
	for _, s := range a.slots {
		s.search.SetTables(t)
		s.idle, s.leaves = s.game != nil, 0
	}
}

// adjudge ends a game that the tables know. One that began there makes a move first: a record has a ply.
func (a *Actor) adjudge(s *slot) {
	if a.tables == nil || a.cfg.PlayOn || s.game.Over() || len(s.record.Plies) == 0 {
		return
	}
	p := s.game.Position()
	if p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() > a.tables.Pieces() {
		return
	}
	if outcome, _, exact, ok := a.tables.Solve(p); ok && exact {
		s.game.End(outcome, rules.Adjudication)
	}
}
