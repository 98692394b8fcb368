package rules

import "math/bits"

// jumps returns the squares from which a piece can capture over one step along a diagonal, one set
// for each direction. It works backwards for all squares at once. For a jump to the north-west,
// where a step is r bits, it goes from the empty squares over the prey p to the origins x:
//
//	e               empty
//	   p            empty << r & prey
//	      x        (empty << r & prey) << r
//
// A jump from x therefore lands 2r bits below x. Some x may be ghost bits; the caller removes them
// when it intersects the set with the pieces of a side.
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

// forward removes from the sets of jumps or crosses the directions in which a man of side turn may
// not capture. It removes nothing if men capture backwards too.
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

// flyingJumps returns the squares from which a flying king can capture, by Direction: the squares
// of jumps and crosses, and all squares behind them from which a king reaches them over empty
// squares.
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

// spreadDown returns the squares of s and every square reached from them by steps towards higher
// bits: over empty squares, and including the first square that is not empty. Each line doubles
// the reach (Kogge-Stone): by one square, two and four.
func spreadDown(s, empty uint64, step uint) uint64 {
	on := s & empty
	on |= on << step & empty
	empty &= empty << step
	on |= on << (2 * step) & empty
	empty &= empty << (2 * step)
	on |= on << (4 * step) & empty
	return s | on<<step
}

// spreadUp is spreadDown for steps towards lower bits.
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

// countJumps returns the number of legal captures of men and of kings that do not fly, without
// making a list. It returns 0 if it cannot tell and the caller must list them.
//
// It moves all pieces in one direction at once, so it does not know which piece jumped. It need
// not know as long as no capture takes more than two pieces: a piece could come back to its start,
// or to a piece it has taken, only by turning round. It cannot turn round, because its start
// counts as occupied. So no two of the captures counted are the same move.
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
	on := all & any // where a capture goes on
	switch {
	case on == 0:
		return count
	case kings != 0:
		return 0
	case on&(on-1) != 0 || count != bits.OnesCount64(all):
		return countTwo[F](g, s, &[8]uint64{nw, ne, sw, se, n, w, e, so})
	}
	// Most often one man on one square goes on. There is no third jump if none begins on the
	// square where the second one lands; the square between them counts as occupied. In eight
	// directions a man can close a triangle and come back to its start, so starts count as empty
	// there.
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

// countTwo is countJumps where several men go on. from holds the squares on which a jump begins,
// by Direction.
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

// singleJumps returns the squares on which the captures of men begin, by Direction. ok is true if
// every capture ends after one piece.
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

// countFour returns the total number of squares in four sets.
func countFour(a, b, c, d uint64) int {
	return bits.OnesCount64(a) + bits.OnesCount64(b) + bits.OnesCount64(c) + bits.OnesCount64(d)
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

// kingJumps returns the squares from which a king can capture.
func kingJumps[F fastFacts](prey, empty uint64) uint64 {
	var facts F
	f := len(facts)
	if f&flying == 0 {
		nw, ne, sw, se := jumps(f, prey, empty)
		return nw | ne | sw | se
	}
	from := flyingJumps[F](prey, empty)
	return union(&from)
}

// manJumps holds the squares from which men can capture, one set for each direction.
type manJumps struct{ nw, ne, sw, se, n, w, e, s uint64 }

// landings returns the squares on which the first jumps of men of own land.
func (j *manJumps) landings(f int, own uint64) (at uint64) {
	if f&full == 0 {
		l, r := diagonalSteps(f)
		at = own&j.nw>>(2*r) | own&j.ne>>(2*l) | own&j.sw<<(2*l) | own&j.se<<(2*r)
	}
	if f&(full|eight) != 0 {
		c, _, _ := columnStep(f)
		at |= own&j.n>>(2*c) | own&j.w>>2 | own&j.e<<2 | own&j.s<<(2*c)
	}
	return at
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
