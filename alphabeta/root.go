package alphabeta

import (
	"slices"

	"damier/rules"
)

// rootMove is a root move with its result in the last iteration.
type rootMove struct {
	move  rules.Move
	score Score // exact for the first of the list and within RandomTies; for the others an upper bound
	pv    []rules.Move
}

// aspire searches the root with a narrow window around the score of the last iteration, and widens
// it until the score fits.
func (e *Engine) aspire(p rules.Position, last Score) {
	alpha, beta := -infinite, infinite
	width := Score(30)
	if e.depth >= 4 && max(last, -last) < MateBound {
		alpha, beta = last-width, last+width
	}
	e.raised = false
	for {
		score := e.searchRoot(p, 0, alpha, beta)
		if e.stopped {
			return
		}
		e.raised = score >= beta && beta < infinite
		switch {
		case score <= alpha && alpha > -infinite:
			e.pace.falling = true
			beta = (alpha + beta) / 2
			if alpha = score - width; alpha < -MateBound/2 {
				alpha = -infinite
			}
		case e.raised:
			if beta = score + width; beta > MateBound/2 {
				beta = infinite
			}
		default:
			return
		}
		width *= 4
	}
}

// without returns the lines that do not begin with m, because one of the other moves may have
// become the best.
func without(lines []Line, m rules.Move) []Line {
	i := slices.IndexFunc(lines, func(l Line) bool { return l.PV[0] == m })
	if i < 0 {
		return lines
	}
	return slices.Concat(lines[:i], lines[i+1:])
}

// others searches, after an iteration, the best of the moves not reported yet, one after another.
// whole is false if the search was stopped before the end.
func (e *Engine) others(p rules.Position) (lines []Line, whole bool) {
	for i := 1; i < min(e.lines, len(e.root)); i++ {
		e.searchRoot(p, i, -infinite, infinite)
		if e.stopped {
			return lines, false
		}
		lines = append(lines, Line{e.root[i].score, slices.Clone(e.root[i].pv)})
	}
	return lines, true
}

// toFront moves root move m, whose line has been searched, to the front.
func (e *Engine) toFront(m rules.Move) {
	i := e.rootIndex(m)
	known := e.root[i]
	copy(e.root[1:i+1], e.root[:i])
	e.root[0] = known
}

// scoreOf returns the score of root move m in the last iteration.
func (e *Engine) scoreOf(m rules.Move) Score { return e.root[e.rootIndex(m)].score }

// rootIndex returns the index of root move m.
func (e *Engine) rootIndex(m rules.Move) int {
	return slices.IndexFunc(e.root, func(r rootMove) bool { return r.move == m })
}

// searchRoot searches the root moves from index first on and moves the best of them to that index.
// If it is stopped, it leaves the best of those searched there.
func (e *Engine) searchRoot(p rules.Position, first int, alpha, beta Score) Score {
	root := e.root[first:]
	e.keys[e.base] = p.Key()
	e.nodes++
	e.searched = 0
	best, ties := -infinite, e.config.RandomTies
	if e.deep != nil && e.limits.Best {
		ties = 0
	}
	for i := range root {
		r := &root[i]
		q := e.variant.Play(p, r.move)
		floor := alpha
		if ties > 0 {
			floor -= ties + 1 // moves within ties need exact scores
		}
		var score Score
		if i > 0 {
			score = -e.descend(q, e.depth-1, -floor-1, -floor)
		}
		if i == 0 || score > floor && !e.stopped {
			score = -e.descend(q, e.depth-1, -beta, -floor)
		}
		if e.stopped {
			return best
		}
		e.searched++
		r.score = score
		if i == 0 || score > best {
			best, alpha = score, max(alpha, score)
			r.pv = append(append(make([]rules.Move, 0, 16), r.move), e.frames[1].pv...)
			moved := *r
			copy(root[1:i+1], root[:i])
			root[0] = moved
			if score >= beta {
				break
			}
		}
	}
	for i := e.searched; i < len(root); i++ {
		root[i].score = -infinite
	}
	return best
}

// chooseTie picks one of the moves whose scores in the last complete iteration are equal to the
// best.
func (e *Engine) chooseTie(best *Info) {
	if len(e.ties) < 2 || best.PV[0] != e.ties[0].move || max(best.Score, -best.Score) >= MateBound {
		return
	}
	n := 1
	for _, r := range e.ties[1:] {
		if r.score >= e.ties[0].score-e.config.RandomTies {
			e.ties[n], n = r, n+1
		}
	}
	if i := e.rng.IntN(n); i > 0 {
		best.Score, best.PV = e.ties[i].score, []rules.Move{e.ties[i].move}
	}
}
