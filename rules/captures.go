package rules

import "math/bits"

// canCapture reports whether the side to move can capture.
func canCapture[F fastFacts](g *fast, s side) bool {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return false
	}
	prey, empty := s.prey(f), g.empty(s)
	if f&full == 0 {
		nw, ne, sw, se := jumps(f, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		if s.own&(nw|ne|sw|se) != 0 { // a king also captures at one step
			return true
		}
	}
	if f&(full|eight) != 0 {
		n, w, e, so := crosses(f, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		if s.own&(n|w|e|so) != 0 {
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
		nw, ne, sw, se := jumps(f, s.their, empty)
		return kings&(nw|ne|sw|se) != 0
	}
	from := flyingJumps[F](s.their, empty)
	return kings&union(&from) != 0
}

// found holds the best captures that a search has found so far.
type found struct {
	moves []Move
	base  int // where the kept moves begin
	first int // where those of the piece that captures begin
}

// clear drops the captures kept, because a better one was found.
func (l *found) clear() {
	l.moves = l.moves[:l.base]
	l.first = l.base
}

// keep appends m. With repeats it first checks that m is not there yet. It grows the slice by
// hand, because append would send the caller's memory to the heap: the compiler sees that a slice
// of l.moves assigned to l.moves does not escape, but does not see it for append.
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

// take replaces the moves kept by these.
func (l *found) take(moves []Move) {
	l.moves = l.moves[:l.base]
	for _, m := range moves {
		l.keep(m, false)
	}
}

// appendSingle appends the captures of the men on starts in canonical order, where none goes on
// after one piece. Most positions with captures are such.
func appendSingle[F fastFacts](g *fast, dst []Move, starts uint64, from *manJumps) []Move {
	var facts F
	f := len(facts)
	l, r := diagonalSteps(f)
	c, _, _ := columnStep(f)
	for ; starts != 0; starts &= starts - 1 {
		b := uint(bits.TrailingZeros64(starts))
		bit := uint64(1) << (b & 63)
		start := g.board.square[b&63]
		if f&(full|eight) != 0 && from.n&bit != 0 {
			dst = append(dst, Move{captured: bit >> c, From: start, To: g.board.square[(b-2*c)&63]})
		}
		if f&full == 0 && from.nw&bit != 0 {
			dst = append(dst, Move{captured: bit >> r, From: start, To: g.board.square[(b-2*r)&63]})
		}
		if f&full == 0 && from.ne&bit != 0 {
			dst = append(dst, Move{captured: bit >> l, From: start, To: g.board.square[(b-2*l)&63]})
		}
		if f&(full|eight) != 0 && from.w&bit != 0 {
			dst = append(dst, Move{captured: bit >> 1, From: start, To: g.board.square[(b-2)&63]})
		}
		if f&(full|eight) != 0 && from.e&bit != 0 {
			dst = append(dst, Move{captured: bit << 1, From: start, To: g.board.square[(b+2)&63]})
		}
		if f&full == 0 && from.sw&bit != 0 {
			dst = append(dst, Move{captured: bit << l, From: start, To: g.board.square[(b+2*l)&63]})
		}
		if f&full == 0 && from.se&bit != 0 {
			dst = append(dst, Move{captured: bit << r, From: start, To: g.board.square[(b+2*r)&63]})
		}
		if f&(full|eight) != 0 && from.s&bit != 0 {
			dst = append(dst, Move{captured: bit << c, From: start, To: g.board.square[(b+2*c)&63]})
		}
	}
	return dst
}

// captureSearch walks the captures of a side depth first and keeps the best.
type captureSearch[F fastFacts] struct {
	found
	g       *fast
	their   uint64
	kings   uint64    // of both sides
	prey    uint64    // the pieces that the capturing piece may take
	free    uint64    // the empty squares, and the start of the piece that captures
	flights [8]uint64 // the squares from which a flying king can capture at the start: flyingJumps
	crown   uint64    // where its side is crowned
	up      bool      // the piece captures towards row 0
	down    bool      // the piece captures towards the last row
	from    Square
	rank    uint64 // of the moves kept
	repeats int    // with this many pieces taken two captures may be the same move

	own   uint64
	turn  Color
	steps int       // of the walk of one piece so far
	hard  *hardWalk // nil until one piece has taken more than manySteps steps
}

// again reports whether the walk has made this step before. Callers ask after manySteps steps
// only.
func (c *captureSearch[F]) again(at uint16, taken, rank uint64) bool {
	if c.hard == nil {
		c.hard = newHardWalk(hardKey{generator: c.g.number, own: pair{lo: c.own}, their: pair{lo: c.their}, kings: pair{lo: c.kings}, turn: c.turn})
	}
	return c.hard.again(at, pair{lo: taken}, rank)
}

// appendCaptures appends the legal captures, if there are any, in canonical order.
func appendCaptures[F fastFacts](g *fast, dst []Move, s side) []Move {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return dst
	}
	kings := s.own & s.kings
	prey, empty := s.prey(f), g.empty(s)
	var starts uint64
	if kings != 0 {
		starts = kings & kingJumps[F](s.their, empty)
	}
	var nw, ne, sw, se, n, w, e, so uint64 // from where men jump
	if f&full == 0 {
		nw, ne, sw, se = jumps(f, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
	}
	if f&(full|eight) != 0 {
		n, w, e, so = crosses(f, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
	}
	any := nw | ne | sw | se | n | w | e | so
	starts |= s.own & any
	if starts == 0 {
		return dst
	}
	if starts&kings == 0 && (f&weighed == 0 || prey&s.kings == 0) {
		from := manJumps{nw, ne, sw, se, n, w, e, so}
		if at := from.landings(f, s.own); at&any == 0 && (f&crowning == 0 || at&g.crown[s.turn&1] == 0) {
			return appendSingle[F](g, dst, starts, &from)
		}
	}
	c := captureSearch[F]{found: found{dst, len(dst), len(dst)}, g: g, their: s.their, kings: s.kings, crown: g.crown[s.turn&1]}
	// Two captures of the same pieces need a closed path: of four pieces along diagonals, of three
	// in eight directions. Where a captured piece leaves the board at once, a king can pass twice
	// after two.
	switch {
	case f&atOnce != 0:
		c.repeats = 2
	case f&eight != 0:
		c.repeats = 3
	default:
		c.repeats = 4
	}
	c.own, c.turn = s.own, s.turn
	first, last := lines(f)
	for ; starts != 0; starts &= starts - 1 {
		start := starts & -starts
		b := bits.TrailingZeros64(start) & 63
		c.from = g.board.square[b]
		c.first = len(c.moves)
		c.free = empty | start
		c.steps = 0
		switch {
		case start&kings == 0:
			c.prey, c.up, c.down = prey, s.turn == White, s.turn == Black
			c.step(start, 0, 0)
		case f&flying == 0:
			c.prey, c.up, c.down = s.their, true, true
			c.step(start, 0, g.bonus)
		default:
			c.flights = flyingJumps[F](s.their, c.free)
			for d := first; d <= last; d++ {
				c.king(d, b, 0, g.bonus)
			}
		}
		if c.hard != nil {
			if c.hard.known {
				c.take(c.hard.answer)
				break
			}
			clear(c.hard.seen) // the steps are those of one piece
		}
	}
	if c.hard != nil {
		hardMoves.put(c.hard.key, c.moves[c.base:])
	}
	sortMoves(c.moves[c.base:])
	return c.moves
}

// weight returns what victim adds to the rank of a capture that has taken the pieces taken before.
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

// step continues the capture of a piece that does not fly. It stands on at and has taken these
// pieces.
func (c *captureSearch[F]) step(at, taken, rank uint64) {
	var facts F
	f := len(facts)
	if c.steps++; c.steps > manySteps && c.again(uint16(bits.TrailingZeros64(at)), taken, rank) {
		return
	}
	prey := c.prey &^ taken
	on := false
	if f&crowning != 0 && at&c.crown != 0 {
		c.flights = flyingJumps[F](c.their, c.free)
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
		// Along a row the piece just taken blocks the way back. If it has left the board, the
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

// king looks from bit b in one direction for a piece to capture, and continues the capture behind
// it. It reports whether there is such a piece. Pieces taken before block the way, unless the
// rules remove them at once.
func (c *captureSearch[F]) king(d Direction, b int, taken, rank uint64) bool {
	var facts F
	f := len(facts)
	free := c.free
	if f&atOnce != 0 {
		free |= taken
	} else if c.flights[d&7]>>(b&63)&1 == 0 {
		return false // a piece taken before stays and blocks, so it opens no new capture
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
		return true // too few pieces are left to reach the rank kept
	}
	if c.steps++; c.steps > manySteps && c.again(uint16(v)|uint16(d+1)<<8, taken, rank) {
		return true
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
	// Continue straight on once, not from each square up to the next piece. The piece just taken,
	// or a rule, forbids the way back.
	if c.king(d, v, taken, rank) {
		on = true
	}
	turns := landings
	if f&(atOnce|eight) == 0 {
		turns &= c.flights[d^1&7] | c.flights[d^2&7]
	}
	for ; turns != 0; turns &= turns - 1 {
		t := bits.TrailingZeros64(turns) & 63
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

// land keeps a capture that may end on any square of at, if its rank is the best so far.
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
