package alphabeta

import (
	"math"

	"damier/rules"
)

// Marks of moves, for move ordering. The low orderBits hold orderMask minus the index of the move,
// so that no two are equal, and the first of equal moves has the highest.
const (
	orderBits = 10
	orderMask = 1<<orderBits - 1

	picked = math.MinInt64 // of a move that has been picked
)

func marked(mark int64, index int) int64 { return mark<<orderBits | int64(orderMask-index&orderMask) }

// mark gives every move of f a mark for the move ordering, as rate does.
func (e *Engine) mark(f *frame, s *step, first int, capturing bool) {
	n := len(f.moves)
	if n > cap(s.order) {
		s.order = make([]int64, 2*n)
	}
	s.order = s.order[:n]
	top := int64(picked)
	if capturing {
		kings := s.p.Kings(s.p.Turn.Opponent())
		for i := range s.order {
			taken := f.moves[i].Captured()
			o := marked(int64(taken.Len()*rules.MaxSquares+taken.And(kings).Len()), i)
			s.order[i] = o
			top = max(top, o)
		}
	} else {
		history := &e.history[s.p.Turn&1]
		for i := range s.order {
			m := &f.moves[i]
			mark := int64(history[m.From][m.To])
			switch short(m) {
			case s.killers[0]:
				mark = markKiller + 1
			case s.killers[1]:
				mark = markKiller
			}
			o := marked(mark, i)
			s.order[i] = o
			top = max(top, o)
		}
	}
	if first >= 0 {
		top = marked(markTable, first)
	}
	s.top = top
}

// pick returns the index of the i-th move in the order of the marks. It looks at all marks,
// without branches, because which of them is the highest cannot be predicted.
func (s *step) pick(i int) int {
	top := s.top
	if i > 0 {
		top = highest(s.order)
	}
	n := orderMask - int(top&orderMask)
	s.order[n] = picked
	return n
}

// highest returns the greatest of some marks. It has four maxima, because each waits for the one
// before it. It is not inlined, because in a large function the maxima do not stay in registers.
//
//go:noinline
func highest(marks []int64) int64 {
	a, b, c, d := int64(picked), int64(picked), int64(picked), int64(picked)
	for len(marks) >= 4 {
		a, b, c, d = max(a, marks[0]), max(b, marks[1]), max(c, marks[2]), max(d, marks[3])
		marks = marks[4:]
	}
	for _, m := range marks {
		a = max(a, m)
	}
	return max(a, b, c, d)
}

// commend updates killers and history: the move with index n, the last one picked, caused a
// cutoff, and those picked before it did not.
func (e *Engine) commend(f *frame, s *step, n, depth int) {
	m := &f.moves[n]
	if k := short(m); k != s.killers[0] {
		s.killers[0], s.killers[1] = k, s.killers[0]
	}
	h := &e.history[s.p.Turn&1]
	bonus := int32(depth * depth)
	h[m.From][m.To] += bonus - h[m.From][m.To]*bonus/historyRoof
	for i, o := range s.order {
		if o == picked && i != n {
			worse := &f.moves[i]
			x := &h[worse.From][worse.To]
			*x -= bonus + *x*bonus/historyRoof
		}
	}
}
