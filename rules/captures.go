package rules

import "math/bits"

// jumps returns where the pieces land that can capture over one step in a diagonal direction, one set for
// each direction.
func jumps(f int, pieces, prey, empty uint64) (nw, ne, sw, se uint64) {
	l, r := diagonalSteps(f)
	nw = (pieces >> r & prey) >> r & empty
	ne = (pieces >> l & prey) >> l & empty
	sw = (pieces << l & prey) << l & empty
	se = (pieces << r & prey) << r & empty
	return
}

// crosses is jumps for the directions of rows and columns.
func crosses(f int, pieces, prey, empty uint64) (n, w, e, s uint64) {
	c, left, right := columnStep(f)
	n = (pieces >> c & prey) >> c & empty
	w = (pieces &^ left >> 1 & prey &^ left) >> 1 & empty
	e = (pieces &^ right << 1 & prey &^ right) << 1 & empty
	s = (pieces << c & prey) << c & empty
	return
}

// forward leaves of jumps or crosses those that the men of a side may make.
func forward(f int, turn Color, a, b, c, d uint64) (uint64, uint64, uint64, uint64) {
	switch {
	case f&back != 0:
	case f&full != 0 && turn == White:
		d = 0
	case f&full != 0:
		a = 0
	case turn == White:
		c, d = 0, 0
	default:
		a, b = 0, 0
	}
	return a, b, c, d
}

// canCapture reports whether the side to move can capture.
func canCapture[F fastFacts](g *fast, s side) bool {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return false
	}
	prey, empty := s.prey(f), g.empty(s)
	if f&full == 0 {
		nw, ne, sw, se := jumps(f, s.own, prey, empty) // a king also captures at one step
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		if nw|ne|sw|se != 0 {
			return true
		}
	}
	if f&(full|eight) != 0 {
		n, w, e, so := crosses(f, s.own, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		if n|w|e|so != 0 {
			return true
		}
	}
	kings := s.own & s.kings
	return kings != 0 && kingsCapture[F](g, s, kings)
}

// kingsCapture reports whether one of the kings of the side to move can capture.
func kingsCapture[F fastFacts](g *fast, s side, kings uint64) bool {
	var facts F
	f := len(facts)
	empty := g.empty(s)
	if f&flying == 0 {
		nw, ne, sw, se := jumps(f, kings, s.their, empty)
		return nw|ne|sw|se != 0
	}
	first, last := lines(f)
	for ; kings != 0; kings &= kings - 1 {
		b := bits.TrailingZeros64(kings) & 63
		for d := first; d <= last; d++ {
			ray := g.ray[d&7][b]
			if ray&s.their == 0 {
				continue
			}
			v := nearest(d, ray&^empty)
			if s.their>>v&1 != 0 && g.flight(d, v, empty) != 0 {
				return true
			}
		}
	}
	return false
}

// lines returns the first and the last of the directions in which pieces capture.
func lines(f int) (Direction, Direction) {
	switch {
	case f&full != 0:
		return North, South
	case f&eight != 0:
		return NorthWest, South
	}
	return NorthWest, SouthEast
}

// countJumps returns the number of legal captures of a side of men, 0 if they have to be listed.
func countJumps[F fastFacts](g *fast, s side) int {
	var facts F
	f := len(facts)
	prey, empty := s.prey(f), g.empty(s)
	if f&weighed != 0 && prey&s.kings != 0 {
		return 0
	}
	var nw, ne, sw, se, n, w, e, so uint64 // where the first jumps land
	var all, second uint64                 // where any of them does, and where they go on to
	if f&full == 0 {
		nw, ne, sw, se = jumps(f, s.own, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		all = nw | ne | sw | se
	}
	if f&(full|eight) != 0 {
		n, w, e, so = crosses(f, s.own, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		all |= n | w | e | so
	}
	// Nobody turns round here: the start is not empty.
	if f&full == 0 {
		a, b, c, d := jumps(f, all, prey, empty)
		a, b, c, d = forward(f, s.turn, a, b, c, d)
		second = a | b | c | d
	}
	if f&(full|eight) != 0 {
		a, b, c, d := crosses(f, all, prey, empty)
		a, b, c, d = forward(f, s.turn, a, b, c, d)
		second |= a | b | c | d
	}
	switch {
	case f&crowning != 0 && (all|second)&g.crown[s.turn&1] != 0:
		return 0
	case second == 0 && f&full != 0:
		return countFour(n, w, e, so)
	case second == 0 && f&eight != 0:
		return countFour(nw, ne, sw, se) + countFour(n, w, e, so)
	case second == 0:
		return countFour(nw, ne, sw, se)
	case f&(full|eight) != 0:
		return 0
	}
	return countTwo(f, s, empty, nw, ne, sw, se)
}

// countFour returns how many squares are in four sets together.
func countFour(a, b, c, d uint64) int {
	return bits.OnesCount64(a) + bits.OnesCount64(b) + bits.OnesCount64(c) + bits.OnesCount64(d)
}

// countTwo returns the number of captures of men whose first jumps land on the given squares, some of
// which go on; 0 if one takes more than two pieces.
//
// All jumps of a direction go at once, so it is not known who jumped. It need not be: over three jumps no
// man comes back to his start or to a piece that he has jumped except by turning round, and no two of
// these captures are the same move.
func countTwo(f int, s side, empty, nw, ne, sw, se uint64) int {
	prey := s.prey(f)
	nwnw, nwne, nwsw, _ := jumps(f, nw, prey, empty)
	nenw, nene, _, nese := jumps(f, ne, prey, empty)
	swnw, _, swsw, swse := jumps(f, sw, prey, empty)
	_, sene, sesw, sese := jumps(f, se, prey, empty)
	if f&back == 0 {
		nwsw, nese, swnw, sene = 0, 0, 0, 0
	}
	a, b, c, d := jumps(f, nwnw|nenw|swnw, prey, empty)
	a, b, c, _ = forward(f, s.turn, a, b, c, 0)
	third := a | b | c
	a, b, _, d = jumps(f, nwne|nene|sene, prey, empty)
	a, b, _, d = forward(f, s.turn, a, b, 0, d)
	third |= a | b | d
	a, _, c, d = jumps(f, nwsw|swsw|sesw, prey, empty)
	a, _, c, d = forward(f, s.turn, a, 0, c, d)
	third |= a | c | d
	_, b, c, d = jumps(f, nese|swse|sese, prey, empty)
	_, b, c, d = forward(f, s.turn, 0, b, c, d)
	if third|b|c|d != 0 {
		return 0
	}
	n := countFour(nwnw, nwne, nwsw, nenw) + countFour(nene, nese, swnw, swsw) + countFour(swse, sene, sesw, sese)
	if f&ranked != 0 {
		return n
	}
	// The choice is free: those that end after one piece count too.
	nw &^= backFrom(f, nwnw, nwne, nwsw, 0)
	ne &^= backFrom(f, nenw, nene, 0, nese)
	sw &^= backFrom(f, swnw, 0, swsw, swse)
	se &^= backFrom(f, 0, sene, sesw, sese)
	return n + countFour(nw, ne, sw, se)
}

// backFrom returns where the jumps that land on the given squares, by direction, came from.
func backFrom(f int, nw, ne, sw, se uint64) uint64 {
	l, r := diagonalSteps(f)
	return nw<<(2*r) | ne<<(2*l) | sw>>(2*l) | se>>(2*r)
}

// found are the captures that a search keeps: the best so far.
type found struct {
	moves []Move
	base  int // where the kept moves begin
	first int // where those of the piece that captures begin
}

// clear drops the captures kept, for a better one.
func (l *found) clear() {
	l.moves = l.moves[:l.base]
	l.first = l.base
}

// keep appends m; if told that it may be there, then only if it is not. An append would send the caller's
// memory to the heap: the compiler knows that a slice of l.moves put back into l.moves does not escape, but
// not that an append does not.
func (l *found) keep(m Move, repeats bool) {
	if repeats {
		for i := range l.moves[l.first:] {
			if l.moves[l.first+i] == m {
				return
			}
		}
	}
	n := len(l.moves)
	if n == cap(l.moves) {
		grown := make([]Move, n, 2*n+16)
		copy(grown, l.moves)
		l.moves = grown
	}
	l.moves = l.moves[:n+1]
	l.moves[n] = m
}

// captureSearch walks the captures of a side depth first and keeps the best.
type captureSearch[F fastFacts] struct {
	found
	g       *fast
	their   uint64
	kings   uint64 // of both sides
	prey    uint64 // what the piece that captures may take
	free    uint64 // the empty squares, and the start of the piece that captures
	crown   uint64 // where its side is crowned
	up      bool   // it captures upwards,
	down    bool   // and downwards
	from    Square
	rank    uint64 // of the moves kept
	repeats int    // from so many pieces on two captures may be the same move
}

// appendCaptures appends the legal captures, ascending by From and in no order beyond.
func appendCaptures[F fastFacts](g *fast, dst []Move, s side) []Move {
	var facts F
	f := len(facts)
	c := captureSearch[F]{found: found{dst, len(dst), len(dst)}, g: g, their: s.their, kings: s.kings, crown: g.crown[s.turn&1]}
	// Two ways to take the same pieces need a closed path: of four pieces along diagonals, of three in eight
	// directions. Where captured pieces make way at once, a king comes by again after two.
	switch {
	case f&atOnce != 0:
		c.repeats = 2
	case f&eight != 0:
		c.repeats = 3
	default:
		c.repeats = 4
	}
	kings := s.own & s.kings
	prey, empty := s.prey(f), g.empty(s)
	starts := kings
	if f&full == 0 {
		nw, ne, sw, se := jumps(f, s.own, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		starts |= backFrom(f, nw, ne, sw, se)
	}
	if f&(full|eight) != 0 {
		n, w, e, so := crosses(f, s.own, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		starts |= south(f, south(f, n)) | east(f, east(f, w)) | west(f, west(f, e)) | north(f, north(f, so))
	}
	first, last := lines(f)
	for ; starts != 0; starts &= starts - 1 {
		start := starts & -starts
		b := bits.TrailingZeros64(start) & 63
		c.from = g.board.square[b]
		c.first = len(c.moves)
		c.free = empty | start
		switch {
		case start&kings == 0:
			c.prey, c.up, c.down = prey, s.turn == White, s.turn == Black
			c.step(start, 0, 0)
		case f&flying == 0:
			c.prey, c.up, c.down = s.their, true, true
			c.step(start, 0, g.bonus)
		default:
			for d := first; d <= last; d++ {
				c.king(d, b, 0, g.bonus)
			}
		}
	}
	return c.moves
}

// weight returns what victim adds to the rank of a capture that has taken other pieces before.
func (c *captureSearch[F]) weight(victim, taken uint64) uint64 {
	var facts F
	switch f := len(facts); {
	case f&ranked == 0:
		return 0
	case f&weighed == 0:
		return 2
	}
	if victim&c.kings == 0 {
		return c.g.piece
	}
	return c.g.piece + c.g.king + c.g.early>>bits.OnesCount64(taken)
}

// step continues the capture of a piece that does not fly. It stands on at and has taken some pieces.
func (c *captureSearch[F]) step(at, taken, rank uint64) {
	var facts F
	f := len(facts)
	prey := c.prey &^ taken
	on := false
	if f&crowning != 0 && at&c.crown != 0 {
		b := bits.TrailingZeros64(at)
		for d := NorthWest; d <= SouthEast; d++ {
			if c.king(d, b, taken, rank) {
				on = true
			}
		}
		if !on {
			c.land(at, taken, rank)
		}
		return
	}
	if f&full == 0 && (f&back != 0 || c.up) {
		if victim := northWest(f, at) & prey; northWest(f, victim)&c.free != 0 {
			c.step(northWest(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
		if victim := northEast(f, at) & prey; northEast(f, victim)&c.free != 0 {
			c.step(northEast(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
	}
	if f&full == 0 && (f&back != 0 || c.down) {
		if victim := southWest(f, at) & prey; southWest(f, victim)&c.free != 0 {
			c.step(southWest(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
		if victim := southEast(f, at) & prey; southEast(f, victim)&c.free != 0 {
			c.step(southEast(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
	}
	if f&eight != 0 || f&full != 0 && c.up {
		if victim := north(f, at) & prey; north(f, victim)&c.free != 0 {
			c.step(north(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
	}
	if f&(eight|full) != 0 {
		// Along a row the way back is barred by the piece just taken; where it has left the board, the
		// start is the only piece there.
		if victim := west(f, at) & prey; west(f, victim)&c.free != 0 {
			c.step(west(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
		if victim := east(f, at) & prey; east(f, victim)&c.free != 0 {
			c.step(east(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
	}
	if f&eight != 0 || f&full != 0 && c.down {
		if victim := south(f, at) & prey; south(f, victim)&c.free != 0 {
			c.step(south(f, victim), taken|victim, rank+c.weight(victim, taken))
			on = true
		}
	}
	if !on {
		c.land(at, taken, rank)
	}
}

// king looks from bit b in one direction for a piece to capture, and continues behind it. It reports
// whether there is one. Pieces taken stay on the board and block, or make way at once.
func (c *captureSearch[F]) king(d Direction, b int, taken, rank uint64) bool {
	var facts F
	f := len(facts)
	free := c.free
	if f&atOnce != 0 {
		free |= taken
	}
	ray := c.g.ray[d&7][b&63] &^ free
	if ray == 0 {
		return false
	}
	v := nearest(d, ray)
	victim := uint64(1) << v
	if victim&(c.their&^taken) == 0 {
		return false
	}
	landings := c.g.flight(d, v, free)
	if landings == 0 {
		return false
	}
	rank += c.weight(victim, taken)
	taken |= victim
	if f&ranked != 0 && f&weighed == 0 && rank+2*uint64(bits.OnesCount64(c.their&^taken)) < c.rank {
		return true // not enough pieces are left
	}
	on := false
	if f&behind != 0 {
		t := nearest(d, landings)
		for e := NorthWest; e <= SouthEast; e++ {
			if c.king(e, t, taken, rank) {
				on = true
			}
		}
		if !on {
			c.land(1<<t, taken, rank)
		}
		return true
	}
	// Straight on is looked at once, not from each square between the two pieces. The way back is barred
	// by the piece just taken, or by a rule.
	if c.king(d, v, taken, rank) {
		on = true
	}
	for rest := landings; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros64(rest) & 63
		if c.king(d^1, t, taken, rank) {
			on = true
		}
		if c.king(d^2, t, taken, rank) {
			on = true
		}
		if f&eight != 0 { // the other four
			for e := (d & 4) ^ 4; e <= (d&4)^4|3; e++ {
				if c.king(e, t, taken, rank) {
					on = true
				}
			}
		}
	}
	if on {
		return true
	}
	if f&lastKing != 0 && victim&c.kings != 0 {
		landings = 1 << nearest(d, landings)
	}
	c.land(landings, taken, rank)
	return true
}

// land keeps a capture that may end on any of the squares at, if it is among the best.
func (c *captureSearch[F]) land(at, taken, rank uint64) {
	if rank < c.rank || taken == 0 {
		return
	}
	if rank > c.rank {
		c.rank = rank
		c.clear()
	}
	repeats := bits.OnesCount64(taken) >= c.repeats
	for ; at != 0; at &= at - 1 {
		c.keep(Move{captured: taken, From: c.from, To: c.g.board.square[bits.TrailingZeros64(at)&63]}, repeats)
	}
}
