package alphabeta

import (
	"math"

	"damier/rules"
)

// Selectivity holds the settings of the search of alphabeta-2: what it prunes, reduces and
// extends. Scores are in points; about 120 points are a logit of the expected score.
type Selectivity struct {
	Base, Slope int // reduction of a late move in plies: Base/100 + Slope/100 * ln(depth) * ln(move number)
	First       int // number of moves of a position that are never reduced
	Root        int // number of root moves that are never reduced, 0 for all

	Static       int   // up to this depth a position is given up if its evaluation is above the window by
	StaticMargin Score // this much for each ply

	Probe       int   // from this depth on a position is first searched to
	ProbeShare  int   // this percentage of its depth, and given up if that score is above the window by
	ProbeBase   Score // this much,
	ProbeMargin Score // and this much for each ply
	ProbeLow    Score // margin for each ply below the window; 0 for never

	Singular       int   // from this depth on the move of the table is extended if all other moves are worse by
	SingularMargin Score // this much
	Alone          int   // if above 0, the position is given up when another move reaches beta too (multi-cut)

	Unknown int // from this depth on a position without a move in the table is searched one ply less, 0 for never
}

// defaults are the result of matches: docs/experiments/search.md.
var defaults = Selectivity{
	Base: 30, Slope: 65, First: 2,
	Static: 3, StaticMargin: 30,
	Probe: 4, ProbeShare: 40, ProbeBase: 0, ProbeMargin: 10,
}

// selective is the state of the search of alphabeta-2.
type selective struct {
	Selectivity
	table  hash
	less   [64][64]int8 // reductions in plies by depth and move number
	frames [maxPly + 2]step
}

// step is the state of the selective search at one ply of the path, besides its frame.
type step struct {
	p       rules.Position
	order   []int64 // the remaining moves: their marks, and in the lower bits orderMask minus their index
	killers [2]uint16
	last    uint16 // the move that led here
}

// short packs a move into two bytes, without the captured pieces.
func short(m *rules.Move) uint16 { return uint16(m.From)<<8 | uint16(m.To) }

func newSelective(s Selectivity, t hash) *selective {
	d := &selective{Selectivity: s, table: t}
	for depth := 1; depth < len(d.less); depth++ {
		for i := 1; i < len(d.less[depth]); i++ {
			r := float64(s.Base)/100 + float64(s.Slope)/100*math.Log(float64(depth))*math.Log(float64(i+1))
			d.less[depth][i] = int8(max(0, min(r, float64(depth-1))))
		}
	}
	return d
}

// forget drops the killers.
func (d *selective) forget() {
	for i := range d.frames {
		d.frames[i].killers = [2]uint16{}
	}
}

// descend searches q, the position after root move m.
func (e *Engine) descend(q rules.Position, m rules.Move, depth int, alpha, beta Score) Score {
	if e.deep == nil {
		return e.visit(q, depth, alpha, beta, 1)
	}
	f := &e.deep.frames[1]
	f.p, f.last = q, short(&m)
	return e.node(depth, alpha, beta, 1)
}

// rootLess returns the number of plies by which the first search of the i-th root move is reduced.
func (e *Engine) rootLess(i int, m rules.Move) int {
	if e.deep == nil || e.deep.Root == 0 || i < e.deep.Root || e.depth < 3 || m.IsCapture() || e.config.RandomTies > 0 ||
		e.config.NoReductions {
		return 0
	}
	return max(int(e.deep.less[min(e.depth, 63)][min(i, 63)])-1, 0)
}

// node returns the score of the position at the given ply for the side to move. It searches depth
// plies, and further while there are captures. The score is exact if it is between alpha and beta,
// else a bound. If beta > alpha+1, node stores the line in the pv of the ply.
func (e *Engine) node(depth int, alpha, beta Score, ply int) Score {
	e.nodes++
	if e.nodes&1023 == 0 || e.nodes >= e.nodeLimit {
		e.check()
	}
	if e.stopped {
		return 0
	}
	d, v := e.deep, e.variant
	s := &d.frames[ply]
	p := &s.p
	key := p.Key()
	e.keys[e.base+ply] = key
	if depth > 0 {
		d.table.prefetch(key)
	}
	full := e.config.NoReductions
	pv := beta-alpha > 1
	f := &e.frames[ply]
	f.pv = f.pv[:0]
	capturing := v.HasCaptures(*p)
	if score, ok := e.settled(p, depth, capturing, ply); ok {
		return score
	}
	if capturing {
		depth = max(depth, 0)
	}

	var known known
	if depth > 0 {
		key = e.tableKey(*p, key, ply)
		known = d.table.find(key)
		if b := known.bound(); b != none && !pv && (known.depth() == depth || known.depth() > depth && !full) {
			score := fromTable(known.score(), ply)
			if b.decides(score, alpha, beta) {
				return score
			}
		}
	}
	if !full && !pv && !capturing && depth > 0 && alpha > -MateBound && beta < MateBound {
		if score, ok := e.cut(p, depth, alpha, beta, ply); ok || e.stopped {
			return score
		}
	}

	if capturing {
		f.moves = v.AppendCaptures(f.moves[:0], p)
	} else {
		f.moves = v.AppendQuiet(f.moves[:0], p)
	}
	if len(f.moves) == 0 {
		return e.stuck(*p, ply)
	}
	first := -1
	if known.bound() != none && known.move() < len(f.moves) {
		first = known.move()
	}
	next := depth - 1
	if len(f.moves) == 1 && !full && depth > 0 && ply < 2*e.depth {
		next = depth // a forced move costs no depth
	}
	if d.Unknown > 0 && first < 0 && depth >= d.Unknown && !full && !capturing {
		next--
	}
	e.mark(f, s, first, capturing)
	further := 0
	if least, ok := e.singularBound(known, depth, ply); ok && first >= 0 && len(f.moves) > 1 && !full {
		others := e.searchOthers(f, p, first, depth*2/5, least, ply)
		switch {
		case e.stopped:
			return 0
		case others < least:
			further = 1
		case !pv && d.Alone > 0 && others >= beta:
			return others
		}
	}

	best, bestAt := -infinite, 0
	start := alpha
	child := &d.frames[ply+1]
	for i := range f.moves {
		n := s.pick(i)
		m := &f.moves[n]
		child.p = v.Play(*p, *m)
		child.last = short(m)
		var score Score
		if i == 0 {
			score = -e.node(next+further, -beta, -alpha, ply+1)
		} else {
			less := 0
			if !full && !capturing && i >= d.First && depth >= 2 {
				less = int(d.less[min(depth, 63)][min(i, 63)])
				if pv && less > 0 {
					less--
				}
			}
			score = e.nodeLater(next, less, alpha, beta, ply)
		}
		if e.stopped {
			return 0
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
				e.commend(f, s, i, depth)
			}
			break
		}
	}
	if depth > 0 {
		b := boundOf(best, start, beta)
		if b == upper && first >= 0 {
			bestAt = first
		}
		d.table.keep(key, toTable(best, ply), depth, b, bestAt)
	}
	return best
}

// cut reports whether the position at the given ply, which has no capture, can be given up before
// the full depth, and its score.
func (e *Engine) cut(p *rules.Position, depth int, alpha, beta Score, ply int) (Score, bool) {
	d := e.deep
	if depth <= d.Static {
		if e.threatened(*p) {
			return 0, false
		}
		if score := e.eval.score(*p) - d.StaticMargin*Score(depth); score >= beta {
			return score, e.variant.CanMove(p)
		}
		return 0, false
	}
	if d.Probe == 0 || depth < d.Probe {
		return 0, false
	}
	less := depth * d.ProbeShare / 100
	margin := d.ProbeBase + d.ProbeMargin*Score(depth)
	if score := e.node(less, beta+margin-1, beta+margin, ply); score >= beta+margin && !e.stopped {
		return min(score, MateBound-1) - margin, true
	}
	if d.ProbeLow > 0 && !e.stopped {
		margin := d.ProbeBase + d.ProbeLow*Score(depth)
		if score := e.node(less, alpha-margin, alpha-margin+1, ply); score <= alpha-margin && !e.stopped {
			return max(score, -MateBound+1) + margin, true
		}
	}
	return 0, false
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

// singularBound returns the score that all other moves must miss for the table's move to be
// searched one ply further. It reports false where the table does not know enough of that move.
func (e *Engine) singularBound(known known, depth, ply int) (Score, bool) {
	d := e.deep
	if d.Singular == 0 || depth < d.Singular || ply >= 2*e.depth ||
		known.bound() == upper || known.depth() < depth-3 {
		return 0, false
	}
	score := fromTable(known.score(), ply)
	return score - d.SingularMargin, max(score, -score) < MateBound
}

// searchOthers searches the moves of a frame except the one with index first, to see whether one
// reaches least. It returns the first such score, or the best score below it.
func (e *Engine) searchOthers(
	f *frame, p *rules.Position, first, depth int, least Score, ply int,
) Score {
	child := &e.deep.frames[ply+1]
	best := -infinite
	for i := range f.moves {
		if i == first {
			continue
		}
		child.p = e.variant.Play(*p, f.moves[i])
		child.last = short(&f.moves[i])
		best = max(best, -e.node(depth-1, -least, -least+1, ply+1))
		if e.stopped || best >= least {
			break
		}
	}
	return best
}

// Marks of moves, for move ordering. The low orderBits hold orderMask minus the index of the move.
const (
	orderBits = 10
	orderMask = 1<<orderBits - 1
)

// mark gives every move of f a mark for the move ordering, as rate does.
func (e *Engine) mark(f *frame, s *step, first int, capturing bool) {
	order := s.order[:0]
	if capturing {
		kings := s.p.Kings(s.p.Turn.Opponent())
		for i := range f.moves {
			taken := f.moves[i].Captured()
			mark := int64(taken.Len()*rules.MaxSquares + taken.And(kings).Len())
			if i == first {
				mark = markTable
			}
			order = append(order, mark<<orderBits|int64(orderMask-i&orderMask))
		}
		s.order = order
		return
	}
	history := &e.history[s.p.Turn&1]
	for i := range f.moves {
		m := &f.moves[i]
		var mark int64
		switch short(m) {
		case s.killers[0]:
			mark = markKiller + 1
		case s.killers[1]:
			mark = markKiller
		default:
			mark = int64(history[m.From][m.To])
		}
		if i == first {
			mark = markTable
		}
		order = append(order, mark<<orderBits|int64(orderMask-i&orderMask))
	}
	s.order = order
}

// pick returns, as the i-th, the index of the move with the highest mark among those not picked
// yet.
func (s *step) pick(i int) int {
	order := s.order[i:]
	top, most := 0, order[0]
	for j, o := range order {
		if o > most {
			top, most = j, o
		}
	}
	order[top], order[0] = order[0], most
	return orderMask - int(most&orderMask)
}

// commend updates killers and history: the i-th move picked caused a cutoff, and those before it
// did not.
func (e *Engine) commend(f *frame, s *step, i, depth int) {
	number := func(i int) int { return orderMask - int(s.order[i]&orderMask) }
	m := &f.moves[number(i)]
	if k := short(m); k != s.killers[0] {
		s.killers[0], s.killers[1] = k, s.killers[0]
	}
	h := &e.history[s.p.Turn&1]
	bonus := int32(depth * depth)
	h[m.From][m.To] += bonus - h[m.From][m.To]*bonus/historyRoof
	for j := range i {
		worse := &f.moves[number(j)]
		x := &h[worse.From][worse.To]
		*x -= bonus + *x*bonus/historyRoof
	}
}

// Defaults returns the default selectivity.
func Defaults() Selectivity { return defaults }
