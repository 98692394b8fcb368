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
