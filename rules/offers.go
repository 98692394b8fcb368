package rules

import "math/bits"

// exposed tells of which quiet moves of a side the opponent cannot capture afterwards.
type exposed struct {
	known bool   // false: any move may let the opponent capture
	to    uint64 // squares on which a piece that comes may be captured
	from  uint64 // squares that leave room to capture another piece when they are left
}

// exposedSquares returns what the quiet moves of s may expose. It knows only if the opponent has
// no king, and could capture nothing if it were its turn.
func exposedSquares[F fastFacts](g *fast, s side) (x exposed) {
	var facts F
	f := len(facts)
	if s.their&s.kings != 0 || f&firstKing != 0 && s.kings != 0 {
		return x
	}
	turn := s.turn ^ 1
	if canCapture[F](g, side{s.their, s.own, s.kings, turn}) {
		return x
	}
	x.known = true
	empty := g.empty(s)
	room := empty | s.own // the square behind may be the one that the piece comes from
	var gap manJumps      // over a piece to a square that another one leaves
	if f&full == 0 {
		l, r := diagonalSteps(f)
		nw, ne, sw, se := jumps(f, empty, room)
		nw, ne, sw, se = forward(f, turn, nw, ne, sw, se)
		x.to = s.their&nw>>r | s.their&ne>>l | s.their&sw<<l | s.their&se<<r
		nw, ne, sw, se = jumps(f, s.own, s.own)
		gap.nw, gap.ne, gap.sw, gap.se = forward(f, turn, nw, ne, sw, se)
	}
	if f&(full|eight) != 0 {
		c, _, _ := columnStep(f)
		n, w, e, so := crosses(f, empty, room)
		n, w, e, so = forward(f, turn, n, w, e, so)
		x.to |= s.their&n>>c | s.their&w>>1 | s.their&e<<1 | s.their&so<<c
		n, w, e, so = crosses(f, s.own, s.own)
		gap.n, gap.w, gap.e, gap.s = forward(f, turn, n, w, e, so)
	}
	x.from = gap.landings(f, s.their)
	return x
}

// mayOffer returns the moves, by their indices as bits, after which the opponent may be able to
// capture. There are 64 moves at most. It has no branches, which the processor could not predict.
func (x *exposed) mayOffer(g *fast, moves []Move) (which uint64) {
	for i := range moves {
		m := &moves[i]
		at := x.to>>(g.board.bit[m.To]&63) | x.from>>(g.board.bit[m.From]&63)
		which |= at & 1 << (i & 63)
	}
	return which
}

// appendOffers is AppendOffers for moves, whose indices begin with first.
func appendOffers[F fastFacts](v *Variant, dst []Next, p *Position, moves []Move, first int) []Next {
	g := v.fast
	if len(moves) > 64 {
		dst = appendOffers[F](v, dst, p, moves[:64], first)
		return appendOffers[F](v, dst, p, moves[64:], first+64)
	}
	which := uint64(1)<<len(moves) - 1
	if x := exposedSquares[F](g, sideOf(p)); x.known {
		which = x.mayOffer(g, moves)
	}
	for ; which != 0; which &= which - 1 {
		i := bits.TrailingZeros64(which)
		n := len(dst) // as in appendNext: a function for this, though inlined, takes a fifth more time
		if n == cap(dst) {
			dst = append(dst, Next{})
		} else {
			dst = dst[:n+1]
		}
		q := &dst[n]
		v.PlayTo(&q.Position, p, &moves[i&63])
		q.Standing, q.Move = MustCapture, uint16(first+i)
		if !canCapture[F](g, sideOf(&q.Position)) {
			dst = dst[:n]
		}
	}
	return dst
}
