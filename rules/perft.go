package rules

import "math/bits"

// Perft returns the number of leaves of the move tree of the given depth: sequences of that many legal
// moves, moves being counted by their identity. Draw rules do not apply; depth 0 has one leaf. The last
// ply is counted without being played. The limit on moves of one king ([Variant.KingMoveLimit]) does not
// apply either, as in the published tables: the counts are those of the moves of the pieces.
func (v *Variant) Perft(p Position, depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case v.fast == nil:
		w := v.withoutKingLimit()
		room := make([]Move, 0, 512)
		return w.perftPlain(p, depth, room)
	}
	var room [512]Move // for the captures of all positions on the way; more go to the heap
	s := v.fast.side(&p)
	if depth == 1 {
		return uint64(v.fast.countMoves(&s, room[:0]))
	}
	return v.fast.perft(&s, depth, room[:0])
}

// perftReference is Perft with the slow generator and every move played: the twin of the fast way.
func (v *Variant) perftReference(p Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	v = v.withoutKingLimit()
	var n uint64
	for _, m := range v.ReferenceMoves(p) {
		n += v.perftReference(v.playSets(p, m), depth-1)
	}
	return n
}

// withoutKingLimit returns v, or a copy that lets a king move as often as it likes.
func (v *Variant) withoutKingLimit() *Variant {
	if v.KingMoveLimit == 0 {
		return v
	}
	w := *v
	w.KingMoveLimit = 0
	return w.prepare()
}

// perftPlain is Perft with the plain generator. The moves of all positions on the way stand in stack.
func (v *Variant) perftPlain(p Position, depth int, stack []Move) uint64 {
	moves := v.AppendMoves(stack, p)
	if depth == 1 {
		return uint64(len(moves) - len(stack))
	}
	var n uint64
	for _, m := range moves[len(stack):] {
		n += v.perftPlain(v.plain.after(p, m), depth-1, moves)
	}
	return n
}

// perft counts the leaves below s. Moves are played into a new value, so none is taken back; quiet moves
// need no list.
func (g *diagonal) perft(s *side, depth int, stack []Move) uint64 {
	var n uint64
	if g.canCapture(s) {
		moves := g.appendCaptures(stack, s)
		for _, m := range moves[len(stack):] {
			n += g.perftAfter(s, 1<<(g.board.bit[m.From]&63), 1<<(g.board.bit[m.To]&63), m.captured, depth-1, moves)
		}
		return n
	}
	men := s.own &^ s.kings
	if s.turn == White {
		for to := men >> stepLeft & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += g.perftAfter(s, t<<stepLeft, t, 0, depth-1, stack)
		}
		for to := men >> stepRight & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += g.perftAfter(s, t<<stepRight, t, 0, depth-1, stack)
		}
	} else {
		for to := men << stepLeft & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += g.perftAfter(s, t>>stepLeft, t, 0, depth-1, stack)
		}
		for to := men << stepRight & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += g.perftAfter(s, t>>stepRight, t, 0, depth-1, stack)
		}
	}
	for kings := s.own & s.kings; kings != 0; kings &= kings - 1 {
		from := kings & -kings
		for to := g.reach(bits.TrailingZeros64(from)&63, s.empty); to != 0; to &= to - 1 {
			n += g.perftAfter(s, from, to&-to, 0, depth-1, stack)
		}
	}
	return n
}

// perftAfter counts the leaves below s after one move.
func (g *diagonal) perftAfter(s *side, from, to, captured uint64, depth int, stack []Move) uint64 {
	t := side{
		own:   s.their &^ captured,
		their: s.own&^from | to,
		kings: s.kings &^ (from | captured),
		turn:  s.turn ^ 1,
	}
	if s.kings&from != 0 || to&g.crown[s.turn&1] != 0 {
		t.kings |= to
	}
	t.empty = g.on &^ (t.own | t.their)
	if depth == 1 {
		return uint64(g.countMoves(&t, stack))
	}
	return g.perft(&t, depth, stack)
}
