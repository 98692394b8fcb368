package rules

import "math/bits"

// jumps returns where the men land that can capture: one set for each direction of the jump.
func jumps(men, their, empty uint64) (nw, ne, sw, se uint64) {
	nw = (men >> stepRight & their) >> stepRight & empty
	ne = (men >> stepLeft & their) >> stepLeft & empty
	sw = (men << stepLeft & their) << stepLeft & empty
	se = (men << stepRight & their) << stepRight & empty
	return
}

// canCapture reports whether the side to move can capture.
func (g *diagonal) canCapture(s *side) bool {
	nw, ne, sw, se := jumps(s.own, s.their, s.empty) // a king also captures at one step
	if nw|ne|sw|se != 0 {
		return true
	}
	for kings := s.own & s.kings; kings != 0; kings &= kings - 1 {
		b := bits.TrailingZeros64(kings) & 63
		for d := NorthWest; d <= SouthEast; d++ {
			ray := g.ray[d][b]
			if ray&s.their == 0 {
				continue
			}
			v := nearest(d, ray&^s.empty)
			if s.their>>v&1 != 0 && g.flight(d, v, s.empty) != 0 {
				return true
			}
		}
	}
	return false
}

// countShort returns the number of captures of men whose first jumps land on the given squares, if none
// takes more than two pieces; 0 if one does.
//
// All jumps of a direction go at once, so it is not known who jumped. It need not be: over three jumps no
// man comes back to his start or to a piece that he has jumped except by turning round, and no two of
// these captures are the same move.
func countShort(nw, ne, sw, se, their, empty uint64) int {
	a, b, c, d := jumps(nw|ne|sw|se, their, empty) // nobody turns round here: the start is not empty
	if a|b|c|d == 0 {
		return bits.OnesCount64(nw) + bits.OnesCount64(ne) + bits.OnesCount64(sw) + bits.OnesCount64(se)
	}
	nwnw, nwne, nwsw, _ := jumps(nw, their, empty)
	nenw, nene, _, nese := jumps(ne, their, empty)
	swnw, _, swsw, swse := jumps(sw, their, empty)
	_, sene, sesw, sese := jumps(se, their, empty)
	a, b, c, _ = jumps(nwnw|nenw|swnw, their, empty)
	third := a | b | c
	a, b, _, d = jumps(nwne|nene|sene, their, empty)
	third |= a | b | d
	a, _, c, d = jumps(nwsw|swsw|sesw, their, empty)
	third |= a | c | d
	_, b, c, d = jumps(nese|swse|sese, their, empty)
	if third|b|c|d != 0 {
		return 0
	}
	return bits.OnesCount64(nwnw) + bits.OnesCount64(nwne) + bits.OnesCount64(nwsw) +
		bits.OnesCount64(nenw) + bits.OnesCount64(nene) + bits.OnesCount64(nese) +
		bits.OnesCount64(swnw) + bits.OnesCount64(swsw) + bits.OnesCount64(swse) +
		bits.OnesCount64(sene) + bits.OnesCount64(sesw) + bits.OnesCount64(sese)
}

// captureSearch walks the captures of a side depth first and keeps the best.
//
// A longer capture always ranks higher, so a capture that could go on never needs to be told apart: what
// it goes on to has been found when it is looked at, and outranks it.
type captureSearch struct {
	g     *diagonal
	their uint64
	free  uint64 // the empty squares, and the start of the piece that captures
	most  int    // pieces that the moves kept take

	moves []Move
	base  int // where the kept moves begin
	first int // where those of the piece that captures begin
	from  Square
}

// appendCaptures appends the legal captures, ascending by From and in no order beyond.
func (g *diagonal) appendCaptures(dst []Move, s *side) []Move {
	c := captureSearch{g: g, their: s.their, moves: dst, base: len(dst), most: 1}
	nw, ne, sw, se := jumps(s.own, s.their, s.empty)
	starts := nw<<(2*stepRight) | ne<<(2*stepLeft) | sw>>(2*stepLeft) | se>>(2*stepRight)
	kings := s.own & s.kings
	for starts |= kings; starts != 0; starts &= starts - 1 {
		start := starts & -starts
		b := bits.TrailingZeros64(start) & 63
		c.from = g.board.square[b]
		c.first = len(c.moves)
		c.free = s.empty | start
		if start&kings == 0 {
			c.man(start, 0, 0)
			continue
		}
		for d := NorthWest; d <= SouthEast; d++ {
			c.king(d, b, 0, 0)
		}
	}
	return c.moves
}

// man continues the capture of a man that stands on at and has taken n pieces.
func (c *captureSearch) man(at, taken uint64, n int) {
	their := c.their &^ taken
	if victim := at >> stepRight & their; victim>>stepRight&c.free != 0 {
		c.man(victim>>stepRight, taken|victim, n+1)
	}
	if victim := at >> stepLeft & their; victim>>stepLeft&c.free != 0 {
		c.man(victim>>stepLeft, taken|victim, n+1)
	}
	if victim := at << stepLeft & their; victim<<stepLeft&c.free != 0 {
		c.man(victim<<stepLeft, taken|victim, n+1)
	}
	if victim := at << stepRight & their; victim<<stepRight&c.free != 0 {
		c.man(victim<<stepRight, taken|victim, n+1)
	}
	c.land(at, taken, n)
}

// king looks from bit b in one direction for a piece to capture, and continues behind it. n pieces are
// taken; they stay on the board and block.
func (c *captureSearch) king(d Direction, b int, taken uint64, n int) {
	ray := c.g.ray[d][b&63] &^ c.free
	if ray == 0 {
		return
	}
	v := nearest(d, ray)
	victim := uint64(1) << v
	if victim&(c.their&^taken) == 0 {
		return
	}
	landings := c.g.flight(d, v, c.free)
	if landings == 0 {
		return
	}
	taken, n = taken|victim, n+1
	if n+bits.OnesCount64(c.their&^taken) < c.most {
		return // not enough pieces are left
	}
	// Straight on is looked at once, not from each square between the two pieces. The way back is
	// barred by the piece just taken.
	c.king(d, v, taken, n)
	left, right := d^1, d^2
	for rest := landings; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros64(rest) & 63
		c.king(left, t, taken, n)
		c.king(right, t, taken, n)
	}
	c.land(landings, taken, n)
}

// land keeps a capture of n pieces that may end on any of the squares at, if it is among the best.
func (c *captureSearch) land(at, taken uint64, n int) {
	if n < c.most {
		return
	}
	if n > c.most {
		c.most = n
		c.moves = c.moves[:c.base]
		c.first = c.base
	}
	for ; at != 0; at &= at - 1 {
		m := Move{captured: taken, From: c.from, To: c.g.board.square[bits.TrailingZeros64(at)&63]}
		// Two ways to take the same pieces need a closed path, of four pieces at least.
		if n < 4 || !contains(c.moves[c.first:], m) {
			c.keep(m)
		}
	}
}

// keep appends m to the moves. An append here would send the caller's memory to the heap: the compiler
// knows that a slice of c.moves put back into c.moves does not escape, but not that an append does not.
func (c *captureSearch) keep(m Move) {
	n := len(c.moves)
	if n == cap(c.moves) {
		grown := make([]Move, n, 2*n+16)
		copy(grown, c.moves)
		c.moves = grown
	}
	c.moves = c.moves[:n+1]
	c.moves[n] = m
}

func contains(moves []Move, m Move) bool {
	for i := range moves {
		if moves[i] == m {
			return true
		}
	}
	return false
}
