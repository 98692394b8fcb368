package rules

import (
	"math/bits"
	"slices"
)

// diagonal is the fast generator for the 10x10 board: it holds what the facts of a Variant come to in
// bits. A Variant gets one when it is built, or none, and then the slow generator does its work.
//
// The steps of the layout drawn at Geometry are constants here, because constant shifts are what makes
// it fast. A bit that leaves the board falls on a ghost or off the word; every shift is followed by a mask
// of squares on the board (the empty squares, or a side's pieces), so ghosts are never seen.
type diagonal struct {
	board *Geometry
	on    uint64        // the playing squares
	crown [2]uint64     // by Color: where its men become kings
	ray   [4][64]uint64 // by Direction and bit: the squares from there to the edge, its own left out
}

// A step down the board adds this to a bit, a step up takes it away.
const (
	stepLeft  = 6 // down to the left, up to the right
	stepRight = 7 // down to the right, up to the left
)

// newDiagonal returns the fast generator for the facts of v, nil if it does not know such rules.
func newDiagonal(v *Variant) *diagonal {
	b := v.Board
	if b.Columns != 10 || b.Rows != 10 || b.Corner != BottomLeft || !v.ManCapturesBack || !v.KingFlies ||
		!slices.Equal(v.MoveLines, Diagonals) || !slices.Equal(v.CaptureLines, Diagonals) || v.MenSpareKings || v.Landing != Anywhere ||
		v.RemovedAtOnce || v.CrownedAtOnce || v.KingMoveLimit > 0 || v.FirstKingWins || !slices.Equal(v.Priority, []Criterion{MostPieces}) || v.Draws.countsMore() {
		return nil
	}
	g := &diagonal{board: b}
	for s := Square(1); int(s) <= b.Squares(); s++ {
		g.on |= b.Set(s).Lo
		for _, c := range [2]Color{White, Black} {
			if v.Promotes(c, s) {
				g.crown[c] |= b.Set(s).Lo
			}
		}
		for _, d := range Diagonals {
			for t := b.Neighbour(s, d); t != NoSquare; t = b.Neighbour(t, d) {
				g.ray[d][b.Bit(s)] |= b.Set(t).Lo
			}
		}
	}
	return g
}

// side is a position seen from the side to move, in one word each.
type side struct {
	own, their uint64
	kings      uint64 // of both
	empty      uint64
	turn       Color
}

func (g *diagonal) side(p *Position) side {
	s := side{own: p.white, their: p.black, kings: p.kings, turn: p.Turn}
	if p.Turn == Black {
		s.own, s.their = p.black, p.white
	}
	s.empty = g.on &^ (s.own | s.their)
	return s
}

// appendMoves appends the legal moves in canonical order.
func (g *diagonal) appendMoves(dst []Move, s *side) []Move {
	if g.canCapture(s) {
		first := len(dst)
		dst = g.appendCaptures(dst, s)
		sortMoves(dst[first:])
		return dst
	}
	kings := s.own & s.kings
	men := s.own &^ s.kings
	var movers uint64
	if s.turn == White {
		movers = men & (s.empty<<stepLeft | s.empty<<stepRight)
	} else {
		movers = men & (s.empty>>stepLeft | s.empty>>stepRight)
	}
	for movers |= kings; movers != 0; movers &= movers - 1 {
		from := movers & -movers
		b := bits.TrailingZeros64(from) & 63
		var targets uint64
		switch {
		case from&kings != 0:
			targets = g.reach(b, s.empty)
		case s.turn == White:
			targets = (from>>stepLeft | from>>stepRight) & s.empty
		default:
			targets = (from<<stepLeft | from<<stepRight) & s.empty
		}
		for ; targets != 0; targets &= targets - 1 {
			dst = append(dst, Move{From: g.board.square[b], To: g.board.square[bits.TrailingZeros64(targets)&63]})
		}
	}
	return dst
}

// countMoves returns the number of legal moves. It makes a list, in the room behind stack, only for the
// captures of kings and for those of more than two pieces.
func (g *diagonal) countMoves(s *side, stack []Move) int {
	kings := s.own & s.kings
	men := s.own &^ kings
	if kings == 0 {
		nw, ne, sw, se := jumps(men, s.their, s.empty)
		if nw|ne|sw|se != 0 {
			if n := countShort(nw, ne, sw, se, s.their, s.empty); n > 0 {
				return n
			}
			return len(g.appendCaptures(stack, s)) - len(stack)
		}
	} else if g.canCapture(s) {
		return len(g.appendCaptures(stack, s)) - len(stack)
	}
	n := 0
	if s.turn == White {
		n = bits.OnesCount64(men>>stepLeft&s.empty) + bits.OnesCount64(men>>stepRight&s.empty)
	} else {
		n = bits.OnesCount64(men<<stepLeft&s.empty) + bits.OnesCount64(men<<stepRight&s.empty)
	}
	for ; kings != 0; kings &= kings - 1 {
		n += bits.OnesCount64(g.reach(bits.TrailingZeros64(kings)&63, s.empty))
	}
	return n
}

// reach returns the squares a king on bit b moves to.
func (g *diagonal) reach(b int, empty uint64) uint64 {
	return g.flight(NorthWest, b, empty) | g.flight(NorthEast, b, empty) |
		g.flight(SouthWest, b, empty) | g.flight(SouthEast, b, empty)
}

// flight returns the free squares in one direction from bit b up to the first that is not.
func (g *diagonal) flight(d Direction, b int, free uint64) uint64 {
	ray := g.ray[d][b&63]
	if blocked := ray &^ free; blocked != 0 {
		w := nearest(d, blocked)
		ray &^= g.ray[d][w] | 1<<w
	}
	return ray
}

// nearest returns the bit of a ray in direction d that is nearest to its origin.
func nearest(d Direction, ray uint64) int {
	if d >= SouthWest {
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
