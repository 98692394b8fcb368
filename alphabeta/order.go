package alphabeta

import "damier/rules"

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
