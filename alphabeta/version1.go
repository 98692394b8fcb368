package alphabeta

import (
	"damier/rules"
)

// visit returns the score of p for the side to move. It searches depth plies, and further while
// there are captures. The score is exact if it is between alpha and beta, else a bound. visit
// stores the line in the pv of the ply.
func (e *Engine) visit(p rules.Position, depth int, alpha, beta Score, ply int) Score {
	e.nodes++
	if e.nodes&1023 == 0 || e.nodes >= e.nodeLimit {
		e.check()
	}
	if e.stopped {
		return 0
	}
	f := &e.frames[ply]
	f.pv = f.pv[:0]
	key := p.Key()
	e.keys[e.base+ply] = key
	v := e.variant
	full := e.config.NoReductions
	capturing := v.HasCaptures(p)
	if score, ok := e.settled(&p, depth, capturing, ply); ok {
		return score
	}
	if capturing {
		depth = max(depth, 0)
	}
	pv := beta-alpha > 1

	var known entry
	if depth > 0 {
		key = e.tableKey(&p, key, ply)
		known = e.table.find(key)
		if known.bound != none && !pv && (int(known.depth) == depth || int(known.depth) > depth && !full) {
			s := fromTable(known.score, ply)
			if known.bound.decides(s, alpha, beta) {
				return s
			}
		}
	}

	f.moves = v.AppendMoves(f.moves[:0], p)
	if len(f.moves) == 0 {
		return e.stuck(p, ply)
	}
	next := depth - 1
	if len(f.moves) == 1 && !full && depth > 0 && ply < 2*e.depth {
		next = depth // a forced move costs no depth
	}
	e.rate(f, p, known, capturing)

	best, bestAt := -infinite, 0
	start := alpha
	for i := range f.moves {
		f.pick(i)
		m := f.moves[i]
		q := v.Play(p, m)
		var score Score
		if i == 0 {
			score = -e.visit(q, next, -beta, -alpha, ply+1)
		} else {
			less := 0
			if !full && !capturing {
				less = reduction(depth, i)
			}
			score = e.visitLater(q, next, less, alpha, beta, ply)
		}
		if e.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best, bestAt = score, i
		if score > alpha {
			alpha = score
			f.pv = append(append(f.pv[:0], m), e.frames[ply+1].pv...)
		}
		if score >= beta {
			if !capturing {
				e.reward(f, p.Turn, i, depth)
			}
			break
		}
	}
	if depth > 0 {
		m := f.moves[bestAt]
		e.table.keep(entry{
			key: key, score: toTable(best, ply), depth: int8(depth), bound: boundOf(best, start, beta),
			from: m.From, to: m.To,
		})
	}
	return best
}

// visitLater returns the score, for the side to move at the given ply, of the move that leads to q
// and is not the first in its order. It tests, with a null window at a depth reduced by less
// plies, whether the move is better than alpha, and searches again if it is.
func (e *Engine) visitLater(q rules.Position, depth, less int, alpha, beta Score, ply int) Score {
	score := -e.visit(q, depth-less, -alpha-1, -alpha, ply+1)
	if less > 0 && score > alpha && !e.stopped {
		score = -e.visit(q, depth, -alpha-1, -alpha, ply+1)
	}
	if beta > alpha+1 && score > alpha && score < beta && !e.stopped {
		score = -e.visit(q, depth, -beta, -alpha, ply+1)
	}
	return score
}

// settled returns the score of p if it needs no search because it is a draw, an endgame table
// knows it, or it is a leaf.
func (e *Engine) settled(p *rules.Position, depth int, capturing bool, ply int) (Score, bool) {
	if score, ok := e.ended(p, capturing, ply); ok {
		return score, true
	}
	if ply < maxPly && (capturing || depth > 0 || depth == 0 && !e.config.NoReductions && e.variant.Threatened(p)) {
		return 0, false
	}
	if !capturing && !e.variant.CanMove(p) {
		return e.stuck(*p, ply), true
	}
	return e.eval.score(*p), true
}

// reduction returns the number of plies by which the first search of the i-th quiet move is
// reduced.
func reduction(depth, i int) int {
	switch {
	case depth < 3 || i < 2:
		return 0
	case depth >= 8 && i >= 10:
		return 3
	case depth >= 5 && i >= 5:
		return 2
	}
	return 1
}

// rate gives every move of f a mark for the move ordering: first the move of the table, then
// captures of many pieces (with equal numbers those of many kings), killers, and quiet moves by
// history.
func (e *Engine) rate(f *frame, p rules.Position, known entry, capturing bool) {
	f.order = f.order[:0]
	var kings rules.Set
	if capturing {
		kings = p.Kings(p.Turn.Opponent())
	}
	for _, m := range f.moves {
		var mark int32
		switch {
		case m.From == known.from && m.To == known.to && known.bound != none:
			mark = markTable
		case capturing:
			taken := m.Captured()
			mark = int32(taken.Len()*rules.MaxSquares + taken.And(kings).Len())
		case m == f.killers[0]:
			mark = markKiller + 1
		case m == f.killers[1]:
			mark = markKiller
		default:
			mark = e.history[p.Turn][m.From][m.To]
		}
		f.order = append(f.order, mark)
	}
}

// pick moves the move with the highest mark among those from index i on to i; equal marks keep
// their order.
func (f *frame) pick(i int) {
	order := f.order
	top, most := i, order[i]
	for j, o := range order[i+1:] {
		if o > most {
			top, most = i+1+j, o
		}
	}
	if top == i {
		return
	}
	m := f.moves[top]
	copy(f.moves[i+1:top+1], f.moves[i:top])
	copy(order[i+1:top+1], order[i:top])
	f.moves[i], order[i] = m, most
}

// reward updates killers and history: the i-th move of f caused a cutoff, and those before it did
// not.
func (e *Engine) reward(f *frame, turn rules.Color, i, depth int) {
	m := f.moves[i]
	if m != f.killers[0] {
		f.killers[0], f.killers[1] = m, f.killers[0]
	}
	h := &e.history[turn]
	bonus := int32(depth * depth)
	h[m.From][m.To] += bonus - h[m.From][m.To]*bonus/historyRoof
	for _, worse := range f.moves[:i] {
		x := &h[worse.From][worse.To]
		*x -= bonus + *x*bonus/historyRoof
	}
}
