package egdb

import "damier/rules"

// solveNodes is the largest number of positions that [Tables.Solve] visits; it is small, because
// [Tables.Best] asks it about every move.
const solveNodes = 200

// Glance is Solve without a search, for the nodes of one: exact is false for every win that is long
// enough for a draw counter to reach its limit before. It takes much the same time as Probe, does
// not allocate memory, and is safe for concurrent use.
func (t *Tables) Glance(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool) {
	v, ok := t.value(&p)
	if !ok {
		return rules.Ongoing, 0, false, false
	}
	result, plies := v.result()
	if result == Draw {
		return rules.Draw, 0, true, true
	}
	return result.outcome(p.Turn), plies, t.safe(p, plies), true
}

// Solve returns the outcome of the game from p if both sides play perfectly, and the plies to its
// end, 0 for a draw; ok is false if the tables do not know p. It takes the draw counters of p into
// account. exact is false if [Tables.InPlay] could not decide within a few positions whether they
// prevent a win; the outcome is then the win. Solve is safe for concurrent use, and allocates
// memory only if a win is long.
//
// With Pieces, Glance and Best it implements what searches need of tables: mcts.Prober and
// alphabeta.Prober.
func (t *Tables) Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool) {
	outcome, plies, exact, ok = t.Glance(p)
	if !ok || exact {
		return outcome, plies, exact, ok
	}
	held, exact := t.InPlay(p, solveNodes)
	if exact && held == Draw {
		return rules.Draw, 0, true, true
	}
	return outcome, plies, exact, true
}

// outcome converts r, the result for side c, to the outcome of a game.
func (r Result) outcome(c rules.Color) rules.Outcome {
	switch r {
	case Win:
		return rules.Win(c)
	case Loss:
		return rules.Win(c.Opponent())
	}
	return rules.Draw
}

// grade orders moves by their results; a better move has a higher grade.
type grade struct {
	rank  int     // 4 a win, 3 a win that a counter may prevent, 2 a draw, 1 and 0 losses
	plies int     // prefers short wins and long losses: the number of plies, negative for a win
	traps float64 // of a draw: the share of the opponent's answers that lose
}

func (g grade) better(h grade) bool {
	switch {
	case g.rank != h.rank:
		return g.rank > h.rank
	case g.plies != h.plies:
		return g.plies > h.plies
	}
	return g.traps > h.traps
}

// Best returns the move that the tables play in p: a win in the fewest plies; else a draw after
// which the largest share of the answers loses; else the loss in the most plies, preferring one
// that a counter may still prevent. Of equal moves it is the first in the order of the rules. It
// returns false if there is no move, or if the tables do not know the position after one of them.
// It allocates memory, and is safe for concurrent use.
func (t *Tables) Best(p rules.Position) (rules.Move, bool) {
	v := t.board.v
	moves := v.AppendMoves(nil, p)
	var best rules.Move
	var top grade
	for i, m := range moves {
		g, ok := t.gradeOf(v.Play(p, m), p.Turn)
		if !ok {
			return rules.Move{}, false
		}
		if i == 0 || g.better(top) {
			best, top = m, g
		}
	}
	return best, len(moves) > 0
}

// gradeOf returns the grade for side c of its move to position q.
func (t *Tables) gradeOf(q rules.Position, c rules.Color) (grade, bool) {
	outcome, plies, exact, ok := t.Solve(q)
	switch {
	case !ok:
		return grade{}, false
	case outcome == rules.Win(c) && exact:
		return grade{rank: 4, plies: -plies}, true
	case outcome == rules.Win(c):
		return grade{rank: 3, plies: -plies}, true
	case outcome == rules.Draw:
		return grade{rank: 2, traps: t.traps(q)}, true
	case exact:
		return grade{rank: 0, plies: plies}, true
	}
	return grade{rank: 1, plies: plies}, true
}

// traps returns the share of the moves of the drawn position q that lose by the tables, whatever
// the draw counters.
func (t *Tables) traps(q rules.Position) float64 {
	v := t.board.v
	answers := v.AppendMoves(nil, q)
	losing := 0
	for _, m := range answers {
		if o, _, _, ok := t.Glance(v.Play(q, m)); ok && o == rules.Win(q.Turn.Opponent()) {
			losing++
		}
	}
	return float64(losing) / float64(max(len(answers), 1))
}
