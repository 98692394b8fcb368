package rules

import "math/bits"

// appendMoves appends the legal moves in canonical order.
func appendMoves[F fastFacts](g *fast, dst []Move, s *side) []Move {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return dst
	}
	if canCapture[F](g, s) {
		first := len(dst)
		dst = appendCaptures[F](g, dst, s)
		sortMoves(dst[first:])
		return dst
	}
	kings := s.own & s.kings
	movers := s.own &^ kings
	switch { // men that cannot move are many
	case f&full != 0:
	case s.turn == White:
		movers &= southWest(f, s.empty) | southEast(f, s.empty)
	default:
		movers &= northWest(f, s.empty) | northEast(f, s.empty)
	}
	movers |= kings
	if f&eight != 0 {
		movers &^= s.barred
	}
	for ; movers != 0; movers &= movers - 1 {
		from := movers & -movers
		b := bits.TrailingZeros64(from) & 63
		var targets uint64
		switch {
		case from&kings != 0 && f&flying != 0:
			targets = g.reach(f, b, s.empty)
		case from&kings != 0:
			targets = northWest(f, from) | northEast(f, from) | southWest(f, from) | southEast(f, from)
		case f&full != 0:
			targets = west(f, from) | east(f, from) | ahead(f, s.turn, from)
		case s.turn == White:
			targets = northWest(f, from) | northEast(f, from)
		default:
			targets = southWest(f, from) | southEast(f, from)
		}
		for targets &= s.empty; targets != 0; targets &= targets - 1 {
			dst = append(dst, Move{From: g.board.square[b], To: g.board.square[bits.TrailingZeros64(targets)&63]})
		}
	}
	return dst
}

// ahead returns the step along a column towards the side's crown row.
func ahead(f int, turn Color, s uint64) uint64 {
	if turn == White {
		return north(f, s)
	}
	return south(f, s)
}

// countMoves returns the number of legal moves. It makes a list, in the room behind stack, only for the
// captures of kings and for those of more than two pieces.
func countMoves[F fastFacts](g *fast, s *side, stack []Move) int {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return 0
	}
	kings := s.own & s.kings
	men := s.own &^ kings
	if kings == 0 {
		if n := countCaptures[F](g, s); n != 0 {
			if n > 0 {
				return n
			}
			return len(appendCaptures[F](g, stack, s)) - len(stack)
		}
	} else if canCapture[F](g, s) {
		return len(appendCaptures[F](g, stack, s)) - len(stack)
	}
	n := 0
	switch {
	case f&full != 0:
		n = bits.OnesCount64(west(f, men)&s.empty) + bits.OnesCount64(east(f, men)&s.empty) +
			bits.OnesCount64(ahead(f, s.turn, men)&s.empty)
	case s.turn == White:
		n = bits.OnesCount64(northWest(f, men)&s.empty) + bits.OnesCount64(northEast(f, men)&s.empty)
	default:
		n = bits.OnesCount64(southWest(f, men)&s.empty) + bits.OnesCount64(southEast(f, men)&s.empty)
	}
	if f&flying == 0 {
		return n + bits.OnesCount64(northWest(f, kings)&s.empty) + bits.OnesCount64(northEast(f, kings)&s.empty) +
			bits.OnesCount64(southWest(f, kings)&s.empty) + bits.OnesCount64(southEast(f, kings)&s.empty)
	}
	if f&eight != 0 {
		kings &^= s.barred
	}
	for ; kings != 0; kings &= kings - 1 {
		n += bits.OnesCount64(g.reach(f, bits.TrailingZeros64(kings)&63, s.empty))
	}
	return n
}

// reach returns the squares a flying king on bit b moves to.
func (g *fast) reach(f, b int, empty uint64) uint64 {
	if f&full != 0 {
		return g.flight(North, b, empty) | g.flight(West, b, empty) | g.flight(East, b, empty) | g.flight(South, b, empty)
	}
	return g.flight(NorthWest, b, empty) | g.flight(NorthEast, b, empty) |
		g.flight(SouthWest, b, empty) | g.flight(SouthEast, b, empty)
}

// flight returns the free squares in one direction from bit b up to the first that is not.
func (g *fast) flight(d Direction, b int, free uint64) uint64 {
	ray := g.ray[d&7][b&63]
	if blocked := ray &^ free; blocked != 0 {
		w := nearest(d, blocked)
		ray &^= g.ray[d&7][w] | 1<<w
	}
	return ray
}

// nearest returns the bit of a ray in direction d that is nearest to its origin.
func nearest(d Direction, ray uint64) int {
	if d&2 != 0 { // south, or east
		return bits.TrailingZeros64(ray) & 63
	}
	return (63 - bits.LeadingZeros64(ray)) & 63
}

// sortMoves sorts the few captures of a position: by insertion, they come nearly in order.
func sortMoves(moves []Move) {
	for i := 1; i < len(moves); i++ {
		for j := i; j > 0 && moves[j].Less(moves[j-1]); j-- {
			moves[j], moves[j-1] = moves[j-1], moves[j]
		}
	}
}
