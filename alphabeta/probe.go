package alphabeta

import (
	"math/bits"

	"damier/rules"
)

// Prober knows how positions of few pieces end: endgame tables. Its methods are called by as many goroutines at once as
// the engine has cores.
type Prober interface {
	// Pieces returns the most pieces, of both sides together, of a position that it may know.
	Pieces() int

	// Solve returns how the game ends from p under perfect play by the draw counters that p has, and in how many plies;
	// ok is false if it does not know. With exact false it is a win that a counter may yet forbid.
	Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)

	// Best returns the legal move of p to play: the shortest win, a draw, or the longest loss. It returns false if it
	// does not know what all moves lead to.
	Best(p rules.Position) (rules.Move, bool)
}

// openWin is the score of a win that a counter may yet forbid, less its plies: above that of any evaluation.
const openWin Score = 25000

// few reports whether p may be known to the prober. It is what a search pays where tables are of no use.
func (e *Engine) few(p *rules.Position) bool {
	white, black, _ := p.Sets()
	return bits.OnesCount64(white.Lo|black.Lo)+bits.OnesCount16(white.Hi|black.Hi) <= e.mostProbed
}

// probe returns the score of p if the prober knows it.
func (e *Engine) probe(p rules.Position, ply int) (Score, bool) {
	outcome, plies, exact, ok := e.config.Tables.Solve(p)
	if !ok {
		return 0, false
	}
	if outcome == rules.Draw {
		return 0, true
	}
	s := Mate - Score(ply+plies)
	if !exact || s < MateBound {
		s = openWin - Score(ply+plies)
	}
	if outcome != rules.Win(p.Turn) {
		s = -s
	}
	return s, true
}

// bestKnown brings the move that the prober plays at the root to the front, and reports whether it has one: nothing
// deeper is then to be searched.
func (e *Engine) bestKnown(p rules.Position) bool {
	if e.config.Tables == nil || !e.few(&p) {
		return false
	}
	m, ok := e.config.Tables.Best(p)
	if !ok {
		return false
	}
	for i := range e.root {
		if e.root[i].move == m {
			e.root[0], e.root[i] = e.root[i], e.root[0]
		}
	}
	return true
}
