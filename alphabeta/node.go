package alphabeta

import "damier/rules"

// node returns the score of the position at the given ply for the side to move. It searches depth
// plies, and further while there are captures. The score is exact if it is between alpha and beta,
// else a bound. If beta > alpha+1, node stores the line in the pv of the ply.
func (e *Engine) node(depth int, alpha, beta Score, ply int) Score {
	if depth <= 0 {
		return e.quiesce(depth, alpha, beta, ply)
	}
	if e.enter() {
		return 0
	}
	d, v := e.deep, e.variant
	f, p := &e.frames[ply], &d.frames[ply].p
	full, pv := e.config.NoReductions, beta-alpha > 1
	f.pv = f.pv[:0]

	// What the table knows is on its way to the cache while the position is looked at.
	key := rules.KeyOf(p)
	e.keys[e.base+ply] = key
	key = e.tableKey(p, key, ply)
	d.table.prefetch(key)
	f.moves = v.AppendCaptures(f.moves[:0], p)
	capturing := len(f.moves) > 0
	if score, ok := e.ended(p, capturing, ply); ok {
		return score
	}
	if ply >= maxPly {
		return e.leaf(p, capturing, ply)
	}
	pruning := !full && !pv && !capturing && alpha > -MateBound && beta < MateBound
	floor := -infinite
	if pruning && depth <= d.Static && !v.Threatened(p) {
		floor = d.score(p) - d.StaticMargin*Score(depth)
	}
	known := d.table.find(key)
	if !pv && known.serves(depth, full) {
		if score := fromTable(known.score(), ply); known.bound().decides(score, alpha, beta) {
			return score
		}
	}

	if floor >= beta && v.CanMove(p) {
		return floor
	}
	if pruning && depth > d.Static && d.Probe > 0 && depth >= d.Probe {
		if score, ok := e.probeShallow(depth, beta, ply); ok || e.stopped {
			return score
		}
	}

	if !capturing {
		if f.moves = v.AppendQuiet(f.moves[:0], p); len(f.moves) == 0 {
			return e.stuck(*p, ply)
		}
	}
	first := known.first(len(f.moves))
	e.mark(f, &d.frames[ply], first, capturing)
	best, bestAt := e.searchMoves(depth, alpha, beta, ply, capturing)
	if e.stopped {
		return 0
	}
	b := boundOf(best, alpha, beta)
	if b == upper && first >= 0 {
		bestAt = first
	}
	d.table.keep(key, toTable(best, ply), depth, b, bestAt)
	return best
}

// enter counts a node. It reports whether the search is stopped.
func (e *Engine) enter() bool {
	e.nodes++
	if e.nodes&1023 == 0 || e.nodes >= e.nodeLimit {
		e.check()
	}
	return e.stopped
}

// nextDepth returns the depth to which the moves of a node are searched.
func (e *Engine) nextDepth(depth, ply int) int {
	if len(e.frames[ply].moves) == 1 && ply < 2*e.depth && !e.config.NoReductions {
		return depth // a forced move costs no depth
	}
	return depth - 1
}

// searchMoves searches the moves in the frame of the ply. It returns the best score and the index
// of the move that has it. depth is that of the node.
func (e *Engine) searchMoves(depth int, alpha, beta Score, ply int, capturing bool) (best Score, bestAt int) {
	d, next := e.deep, e.nextDepth(depth, ply)
	f, s, child := &e.frames[ply], &d.frames[ply], &d.frames[ply+1]
	pv, reducing := beta-alpha > 1, !capturing && !e.config.NoReductions
	best = -infinite
	for i := range f.moves {
		n := s.pick(i)
		m := &f.moves[n]
		e.variant.PlayTo(&child.p, &s.p, m)
		var score Score
		if i == 0 {
			score = -e.node(next, -beta, -alpha, ply+1)
		} else {
			less := 0
			if reducing {
				less = d.reduction(depth, i, pv)
			}
			score = e.nodeLater(next, less, alpha, beta, ply)
		}
		if e.stopped {
			return 0, 0
		}
		if score <= best {
			continue
		}
		best, bestAt = score, n
		if score > alpha {
			alpha = score
			if pv {
				f.pv = append(append(f.pv[:0], *m), e.frames[ply+1].pv...)
			}
		}
		if score >= beta {
			if !capturing {
				e.commend(f, s, n, depth)
			}
			break
		}
	}
	return best, bestAt
}

// nodeLater is [Engine.visitLater] for node: the position after the move is in the frame of the
// next ply.
func (e *Engine) nodeLater(depth, less int, alpha, beta Score, ply int) Score {
	score := -e.node(depth-less, -alpha-1, -alpha, ply+1)
	if less > 0 && score > alpha && !e.stopped {
		score = -e.node(depth, -alpha-1, -alpha, ply+1)
	}
	if beta > alpha+1 && score > alpha && score < beta && !e.stopped {
		score = -e.node(depth, -beta, -alpha, ply+1)
	}
	return score
}

// probeShallow searches the position at the given ply, which has no capture, to a part of its
// depth (ProbCut). It reports whether the score is so far above the window that the position can be
// given up, and the score.
func (e *Engine) probeShallow(depth int, beta Score, ply int) (Score, bool) {
	d := e.deep
	less := depth * d.ProbeShare / 100
	margin := d.ProbeBase + d.ProbeMargin*Score(depth)
	if score := e.node(less, beta+margin-1, beta+margin, ply); score >= beta+margin && !e.stopped {
		return min(score, MateBound-1) - margin, true
	}
	return 0, false
}
