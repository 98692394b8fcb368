package rules

import (
	"math/bits"
	"slices"
)

// appendMoves appends the legal moves in canonical order.
func appendMoves[F fastFacts](g *fast, dst []Move, s side) []Move {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return dst
	}
	if canCapture[F](g, s) {
		return appendCaptures[F](g, dst, s)
	}
	return appendQuiet[F](g, dst, s)
}

// appendQuiet is appendMoves where there is no capture.
func appendQuiet[F fastFacts](g *fast, dst []Move, s side) []Move {
	var facts F
	f := len(facts)
	empty := g.empty(s)
	kings := s.own & s.kings
	movers := s.own &^ kings
	switch { // most men cannot move: skip them early
	case f&full != 0:
	case s.turn == White:
		movers &= southWest(f, empty) | southEast(f, empty)
	default:
		movers &= northWest(f, empty) | northEast(f, empty)
	}
	if f&full == 0 && kings == 0 {
		return appendSteps(f, g, dst, s.turn, movers, empty)
	}
	movers |= kings
	for ; movers != 0; movers &= movers - 1 {
		from := movers & -movers
		b := bits.TrailingZeros64(from) & 63
		var targets uint64
		switch {
		case from&kings != 0:
			targets = kingMoves[F](g, from, empty)
		case f&full != 0:
			targets = west(f, from) | east(f, from) | ahead(f, s.turn, from)
		case s.turn == White:
			targets = northWest(f, from) | northEast(f, from)
		default:
			targets = southWest(f, from) | southEast(f, from)
		}
		for targets &= empty; targets != 0; targets &= targets - 1 {
			dst = append(dst, Move{From: g.board.square[b], To: g.board.square[bits.TrailingZeros64(targets)&63]})
		}
	}
	return dst
}

// appendSteps appends the quiet moves of men along diagonals. It writes both moves of a man and
// counts those that are legal, because which of them are cannot be predicted.
func appendSteps(f int, g *fast, dst []Move, turn Color, men, empty uint64) []Move {
	left, right := diagonalSteps(f)
	a, b := -int(right), -int(left) // towards the lower square first
	if turn == Black {
		a, b = int(left), int(right)
	}
	n := len(dst)
	dst = slices.Grow(dst, 2*bits.OnesCount64(men)+1)
	room := dst[:cap(dst)]
	for ; men != 0; men &= men - 1 {
		bit := bits.TrailingZeros64(men)
		from := g.board.square[bit&63]
		room[n] = Move{From: from, To: g.board.square[(bit+a)&63]}
		n += int(empty >> ((bit + a) & 63) & 1)
		room[n] = Move{From: from, To: g.board.square[(bit+b)&63]}
		n += int(empty >> ((bit + b) & 63) & 1)
	}
	return room[:n]
}

// ahead returns the step along a column towards the promotion row of the side.
func ahead(f int, turn Color, s uint64) uint64 {
	if turn == White {
		return north(f, s)
	}
	return south(f, s)
}

// kingMoves returns the squares to which the king on from can move.
func kingMoves[F fastFacts](g *fast, from, empty uint64) uint64 {
	var facts F
	f := len(facts)
	b := bits.TrailingZeros64(from) & 63
	switch {
	case f&flying == 0:
		return (northWest(f, from) | northEast(f, from) | southWest(f, from) | southEast(f, from)) & empty
	case f&full != 0:
		return g.flight(North, b, empty) | g.flight(West, b, empty) | g.flight(East, b, empty) | g.flight(South, b, empty)
	}
	return g.flight(NorthWest, b, empty) | g.flight(NorthEast, b, empty) |
		g.flight(SouthWest, b, empty) | g.flight(SouthEast, b, empty)
}

// flight returns the free squares from bit b in one direction, up to the first square that is not
// free.
func (g *fast) flight(d Direction, b int, free uint64) uint64 {
	ray := g.ray[d&7][b&63]
	blocked := ray &^ free
	if d&2 != 0 { // south or east: bits go up
		return ray & (blocked&-blocked - 1)
	}
	n := bits.Len64(blocked) & 63 // at most 63, because a ray towards lower bits ends below bit 63
	return ray >> n << n
}

// nearest returns the bit of a ray in direction d that is nearest to its origin.
func nearest(d Direction, ray uint64) int {
	if d&2 != 0 { // south, or east
		return bits.TrailingZeros64(ray) & 63
	}
	return (63 - bits.LeadingZeros64(ray)) & 63
}

// sortMoves sorts the captures of a position. It uses insertion sort, because they are few and
// nearly in order.
func sortMoves(moves []Move) {
	for i := 1; i < len(moves); i++ {
		for j := i; j > 0 && moves[j].Less(moves[j-1]); j-- {
			moves[j], moves[j-1] = moves[j-1], moves[j]
		}
	}
}
