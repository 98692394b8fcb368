package alphabeta

import (
	"math/bits"

	"damier/rules"
)

// Prober knows the results of positions with few pieces, from endgame tables. As many goroutines
// as the engine has cores call its methods at once.
type Prober interface {
	// Pieces returns the largest number of pieces, of both sides together, of positions that it
	// may know.
	Pieces() int

	// Glance returns the outcome of the game from p under perfect play, with the draw counters of
	// p, and the number of plies to it; ok is false if it does not know. exact false means a win
	// that a draw counter may still prevent. It is fast, because a search asks it at its leaves.
	Glance(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)

	// Best returns the legal move of p to play: the shortest win, a draw, or the longest loss. It
	// returns false if it does not know the results of all moves.
	Best(p rules.Position) (rules.Move, bool)
}

// openWin is the score of a win that a draw counter may still prevent, before its plies are
// subtracted. It is above that of any evaluation.
const openWin Score = 25000

// few reports whether the prober may know p. It is fast, because every node pays for it.
func (e *Engine) few(p *rules.Position) bool {
	white, black, _ := p.Sets()
	return bits.OnesCount64(white.Lo|black.Lo)+bits.OnesCount16(white.Hi|black.Hi) <= e.mostProbed
}

// probe returns the score of p if the prober knows it.
func (e *Engine) probe(p rules.Position, ply int) (Score, bool) {
	outcome, plies, exact, ok := e.config.Tables.Glance(p)
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

// bestKnown returns the prober's move at the root and moves it to the front, so that it is searched
// first. It returns false if the prober has none, or one that repeats a position: of repetitions
// only the search knows.
func (e *Engine) bestKnown(p rules.Position) (rules.Move, bool) {
	if e.config.Tables == nil || !e.few(&p) {
		return rules.Move{}, false
	}
	m, ok := e.config.Tables.Best(p)
	if !ok {
		return rules.Move{}, false
	}
	q := e.variant.Play(p, m)
	e.keys[e.base], e.keys[e.base+1] = p.Key(), q.Key()
	if e.repeats(&q, 1) {
		return rules.Move{}, false
	}
	e.toFront(m)
	return m, true
}
