package alphabeta

import "damier/rules"

// quiesce is node for a depth of 0 or less: it searches captures to their end, and at depth 0 the
// moves of a side whose pieces are threatened. It does not use the table.
func (e *Engine) quiesce(depth int, alpha, beta Score, ply int) Score {
	if e.enter() {
		return 0
	}
	v := e.variant
	f, p := &e.frames[ply], &e.deep.frames[ply].p
	f.pv = f.pv[:0]
	f.moves = v.AppendCaptures(f.moves[:0], p)
	capturing := len(f.moves) > 0
	if v.MayBeDrawn(p) || e.mostProbed > 0 {
		e.keys[e.base+ply] = rules.KeyOf(p)
		if score, ok := e.ended(p, capturing, ply); ok {
			return score
		}
	}
	if !capturing {
		if depth < 0 || e.config.NoReductions || ply >= maxPly || !v.Threatened(p) {
			return e.leaf(p, false, ply)
		}
		if f.moves = v.AppendQuiet(f.moves[:0], p); len(f.moves) == 0 {
			return e.stuck(*p, ply)
		}
		e.keys[e.base+ply] = rules.KeyOf(p)
	} else if ply >= maxPly {
		return e.leaf(p, true, ply)
	}
	return e.searchAtLeaf(alpha, beta, ply, capturing)
}

// leaf returns the score of p without a search.
func (e *Engine) leaf(p *rules.Position, capturing bool, ply int) Score {
	if !capturing && !e.variant.CanMove(p) {
		return e.stuck(*p, ply)
	}
	return e.deep.score(p)
}

// searchAtLeaf is searchMoves for quiesce.
func (e *Engine) searchAtLeaf(alpha, beta Score, ply int, capturing bool) Score {
	f, s, child := &e.frames[ply], &e.deep.frames[ply], &e.deep.frames[ply+1]
	pv, alone := beta-alpha > 1, capturing && len(f.moves) == 1
	if !alone {
		e.mark(f, s, -1, capturing)
	}
	best := -infinite
	for i := range f.moves {
		n := 0
		if !alone {
			n = s.pick(i)
		}
		m := &f.moves[n]
		e.variant.PlayTo(&child.p, &s.p, m)
		var score Score
		if i == 0 {
			score = -e.quiesce(-1, -beta, -alpha, ply+1)
		} else {
			score = -e.quiesce(-1, -alpha-1, -alpha, ply+1)
			if beta > alpha+1 && score > alpha && score < beta && !e.stopped {
				score = -e.quiesce(-1, -beta, -alpha, ply+1)
			}
		}
		if e.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best = score
		if score > alpha {
			alpha = score
			if pv {
				f.pv = append(append(f.pv[:0], *m), e.frames[ply+1].pv...)
			}
		}
		if score >= beta {
			if !capturing {
				e.commend(f, s, n, 0)
			}
			break
		}
	}
	return best
}
