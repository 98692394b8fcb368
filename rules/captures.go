package rules

import "math/bits"

// jumps returns from where a piece can capture over one step in a diagonal direction, one set of squares for
// each direction. To the north-west, with a step of r bits, it goes back from the empty squares e over the
// prey p to the squares x, all at once:
//
//	e               empty
//	   p            empty << r & prey
//	      x        (empty << r & prey) << r
//
// The jump leads from x back by 2r. Any x that is a ghost goes when a side's pieces are taken from the set.
func jumps(f int, prey, empty uint64) (nw, ne, sw, se uint64) {
	l, r := diagonalSteps(f)
	return (empty << r & prey) << r, (empty << l & prey) << l, (empty >> l & prey) >> l, (empty >> r & prey) >> r
}

// crosses is jumps for the directions of rows and columns.
func crosses(f int, prey, empty uint64) (n, w, e, s uint64) {
	c, left, right := columnStep(f)
	n = (empty << c & prey) << c
	w = (empty &^ right << 1 & prey &^ right) << 1
	e = (empty &^ left >> 1 & prey &^ left) >> 1
	s = (empty >> c & prey) >> c
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

// flyingJumps returns from where a flying king can capture, by Direction: what jumps and crosses find, and
// all squares farther back from which a king comes there over empty ones.
func flyingJumps[F fastFacts](prey, empty uint64) (from [8]uint64) {
	var facts F
	f := len(facts)
	if f&full == 0 {
		l, r := diagonalSteps(f)
		nw, ne, sw, se := jumps(f, prey, empty)
		from[NorthWest], from[NorthEast] = spreadDown(nw, empty, r), spreadDown(ne, empty, l)
		from[SouthWest], from[SouthEast] = spreadUp(sw, empty, l), spreadUp(se, empty, r)
	}
	if f&(full|eight) != 0 {
		step, left, right := columnStep(f)
		n, w, e, so := crosses(f, prey, empty)
		from[North], from[West] = spreadDown(n, empty, step), spreadDown(w, empty&^right, 1)
		from[East], from[South] = spreadUp(e, empty&^left, 1), spreadUp(so, empty, step)
	}
	return from
}

// spreadDown returns the squares of s and those that follow them at steps down the board, over empty squares
// up to the first that is not. Each of its lines doubles the way: by one square, two and four.
func spreadDown(s, empty uint64, step uint) uint64 {
	on := s & empty
	on |= on << step & empty
	empty &= empty << step
	on |= on << (2 * step) & empty
	empty &= empty << (2 * step)
	on |= on << (4 * step) & empty
	return s | on<<step
}

// spreadUp is spreadDown for steps up.
func spreadUp(s, empty uint64, step uint) uint64 {
	on := s & empty
	on |= on >> step & empty
	empty &= empty >> step
	on |= on >> (2 * step) & empty
	empty &= empty >> (2 * step)
	on |= on >> (4 * step) & empty
	return s | on>>step
}

// union returns the squares of all sets.
func union(sets *[8]uint64) uint64 {
	return sets[0] | sets[1] | sets[2] | sets[3] | sets[4] | sets[5] | sets[6] | sets[7]
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

// countJumps returns the number of legal captures of men, and of kings that do not fly, without listing
// them: 0 if they have to be listed.
//
// All jumps of a direction go at once, so it is not known who jumped. It need not be, as long as no capture
// takes more than two pieces: nobody can come back to his start or to a piece that he has jumped except by
// turning round, which the start, not being empty, forbids, and no two of these captures are the same move.
func countJumps[F fastFacts](g *fast, s side) int {
	var facts F
	f := len(facts)
	prey, empty := s.prey(f), g.empty(s)
	if f&weighed != 0 && prey&s.kings != 0 {
		return 0
	}
	var nw, ne, sw, se, n, w, e, so uint64 // from where men jump
	var all uint64                         // where all jumps land
	kings, count := s.own&s.kings, 0
	if f&full == 0 {
		l, r := diagonalSteps(f)
		nw, ne, sw, se = jumps(f, prey, empty)
		if f&flying == 0 && kings != 0 {
			if f&ranked != 0 {
				return 0
			}
			a, b, c, d := kings&nw, kings&ne, kings&sw, kings&se
			if (a>>(2*r)|b>>(2*l)|c<<(2*l)|d<<(2*r))&(nw|ne|sw|se) != 0 {
				return 0
			}
			count = countFour(a, b, c, d)
			s.own &^= kings
		}
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		a, b, c, d := s.own&nw, s.own&ne, s.own&sw, s.own&se
		all = a>>(2*r) | b>>(2*l) | c<<(2*l) | d<<(2*r)
		count += countFour(a, b, c, d)
	}
	if f&(full|eight) != 0 {
		step, _, _ := columnStep(f)
		n, w, e, so = crosses(f, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		a, b, c, d := s.own&n, s.own&w, s.own&e, s.own&so
		all |= a>>(2*step) | b>>2 | c<<2 | d<<(2*step)
		count += countFour(a, b, c, d)
	}
	if f&crowning != 0 && all&g.crown[s.turn&1] != 0 {
		return 0
	}
	any := nw | ne | sw | se | n | w | e | so
	on := all & any // where they go on
	switch {
	case on == 0:
		return count
	case kings != 0:
		return 0
	case on&(on-1) != 0 || count != bits.OnesCount64(all):
		return countTwo[F](g, s, &[8]uint64{nw, ne, sw, se, n, w, e, so})
	}
	// Most often it is one man on one square who goes on. He has no third jump if there is none from where
	// he lands, that square not being empty. In eight directions he can close a triangle, back to his
	// start: starts count as empty then.
	if f&ranked == 0 {
		count-- // the choice is free: the others end there
	} else {
		count = 0
	}
	empty &^= on
	if f&eight != 0 {
		empty |= s.own & any
	}
	var ends, third uint64
	if f&full == 0 {
		l, r := diagonalSteps(f)
		a, b, c, d := on&nw, on&ne, on&sw, on&se
		count += countFour(a, b, c, d)
		ends = a>>(2*r) | b>>(2*l) | c<<(2*l) | d<<(2*r)
		a, b, c, d = jumps(f, prey, empty)
		a, b, c, d = forward(f, s.turn, a, b, c, d)
		third = a | b | c | d
	}
	if f&(full|eight) != 0 {
		step, _, _ := columnStep(f)
		a, b, c, d := on&n, on&w, on&e, on&so
		count += countFour(a, b, c, d)
		ends |= a>>(2*step) | b>>2 | c<<2 | d<<(2*step)
		a, b, c, d = crosses(f, prey, empty)
		a, b, c, d = forward(f, s.turn, a, b, c, d)
		third |= a | b | c | d
	}
	if ends&third != 0 || f&crowning != 0 && ends&g.crown[s.turn&1] != 0 {
		return 0
	}
	return count
}

// countTwo is countJumps where several men go on. From are the squares that a jump begins on, by Direction.
func countTwo[F fastFacts](g *fast, s side, from *[8]uint64) int {
	var facts F
	f := len(facts)
	var any, all, second uint64
	for _, j := range from {
		any |= j
	}
	count := 0
	first, last := lines(f)
	for d := first; d <= last; d++ {
		at := bits.RotateLeft64(s.own&from[d&7], g.two[d&7])
		if at == 0 {
			continue
		}
		all |= at
		if f&ranked == 0 {
			count += bits.OnesCount64(at &^ any) // the choice is free
		}
		if at&any == 0 {
			continue
		}
		for e := first; e <= last; e++ {
			count += bits.OnesCount64(at & from[e&7])
		}
	}
	third := *from
	if f&eight != 0 { // starts count as empty, as above
		empty := g.empty(s) | s.own&any
		third[NorthWest], third[NorthEast], third[SouthWest], third[SouthEast] = jumps(f, s.their, empty)
		third[North], third[West], third[East], third[South] = crosses(f, s.their, empty)
	}
	for e := first; e <= last; e++ {
		at := bits.RotateLeft64(all&from[e&7], g.two[e&7])
		if at == 0 {
			continue
		}
		second |= at
		for d := first; d <= last; d++ {
			if d != e.Opposite() && at&third[d&7] != 0 {
				return 0
			}
		}
	}
	if f&crowning != 0 && second&g.crown[s.turn&1] != 0 {
		return 0
	}
	return count
}

// singleJumps returns the squares that the captures of men begin on, by Direction, and whether all of them
// end after one piece.
func singleJumps[F fastFacts](g *fast, s side) (from [8]uint64, ok bool) {
	var facts F
	f := len(facts)
	prey, empty := s.prey(f), g.empty(s)
	var all, any uint64 // where they land, and where there is a jump
	if f&full == 0 {
		l, r := diagonalSteps(f)
		nw, ne, sw, se := jumps(f, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		from[NorthWest], from[NorthEast], from[SouthWest], from[SouthEast] = nw, ne, sw, se
		any = nw | ne | sw | se
		all = s.own&nw>>(2*r) | s.own&ne>>(2*l) | s.own&sw<<(2*l) | s.own&se<<(2*r)
	}
	if f&(full|eight) != 0 {
		c, _, _ := columnStep(f)
		n, w, e, so := crosses(f, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		from[North], from[West], from[East], from[South] = n, w, e, so
		any |= n | w | e | so
		all |= s.own&n>>(2*c) | s.own&w>>2 | s.own&e<<2 | s.own&so<<(2*c)
	}
	return from, all&any == 0 && (f&crowning == 0 || all&g.crown[s.turn&1] == 0)
}

// countFour returns how many squares are in four sets together.
func countFour(a, b, c, d uint64) int {
	return bits.OnesCount64(a) + bits.OnesCount64(b) + bits.OnesCount64(c) + bits.OnesCount64(d)
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

// take keeps these moves instead of those kept.
func (l *found) take(moves []Move) {
	l.moves = l.moves[:l.base]
	for _, m := range moves {
		l.keep(m, false)
	}
}

// captureSearch walks the captures of a side depth first and keeps the best.
type captureSearch[F fastFacts] struct {
	found
	g       *fast
	their   uint64
	kings   uint64    // of both sides
	prey    uint64    // what the piece that captures may take
	free    uint64    // the empty squares, and the start of the piece that captures
	flights [8]uint64 // from where a flying king captures before anything is taken, see flyingJumps
	crown   uint64    // where its side is crowned
	up      bool      // it captures upwards,
	down    bool      // and downwards
	from    Square
	rank    uint64 // of the moves kept
	repeats int    // from so many pieces on two captures may be the same move

	own   uint64
	turn  Color
	steps int       // of the walk of one piece so far
	hard  *hardWalk // nil while no piece has taken many
}

// again reports whether a walk has come to a step before. It is asked by a piece that has taken manySteps.
func (c *captureSearch[F]) again(at uint16, taken, rank uint64) bool {
	if c.hard == nil {
		c.hard = newHardWalk(hardKey{generator: c.g.number, own: pair{lo: c.own}, their: pair{lo: c.their}, kings: pair{lo: c.kings}, turn: c.turn})
	}
	return c.hard.again(at, pair{lo: taken}, rank)
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
	c.own, c.turn = s.own, s.turn
	kings := s.own & s.kings
	prey, empty := s.prey(f), g.empty(s)
	starts := kings
	if f&flying != 0 && kings != 0 {
		c.flights = flyingJumps[F](s.their, empty)
		starts &= union(&c.flights)
	}
	if f&full == 0 {
		nw, ne, sw, se := jumps(f, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		starts |= s.own & (nw | ne | sw | se)
	}
	if f&(full|eight) != 0 {
		n, w, e, so := crosses(f, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		starts |= s.own & (n | w | e | so)
	}
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
				return c.moves
			}
			clear(c.hard.seen) // of one piece
		}
	}
	if c.hard != nil {
		hardMoves.put(c.hard.key, c.moves[c.base:])
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
	} else if c.flights[d&7]>>(b&63)&1 == 0 {
		return false // what has been taken makes no captures that were not there before
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
	// Straight on is looked at once, not from each square between the two pieces. The way back is barred
	// by the piece just taken, or by a rule.
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
