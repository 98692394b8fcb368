package rules

import "math/bits"

// pair is a set of squares in two words.
type pair struct{ lo, hi uint64 }

func pairOf(s Set) pair { return pair{s.Lo, uint64(s.Hi)} }

func pairAt(bit int) pair {
	if bit < 64 {
		return pair{lo: 1 << (bit & 63)}
	}
	return pair{hi: 1 << (bit & 63)}
}

func (a pair) and(b pair) pair    { return pair{a.lo & b.lo, a.hi & b.hi} }
func (a pair) or(b pair) pair     { return pair{a.lo | b.lo, a.hi | b.hi} }
func (a pair) andNot(b pair) pair { return pair{a.lo &^ b.lo, a.hi &^ b.hi} }
func (a pair) any() bool          { return a.lo|a.hi != 0 }
func (a pair) count() int         { return bits.OnesCount64(a.lo) + bits.OnesCount64(a.hi) }

// lowest returns the index of the lowest bit of a set that is not empty.
func (a pair) lowest() int {
	if a.lo != 0 {
		return bits.TrailingZeros64(a.lo)
	}
	return 64 + bits.TrailingZeros64(a.hi)
}

// rest returns the set without its lowest bit.
func (a pair) rest() pair {
	if a.lo != 0 {
		return pair{a.lo & (a.lo - 1), a.hi}
	}
	return pair{0, a.hi & (a.hi - 1)}
}

// The steps. As on the other boards the caller masks every result with squares on the board.
func (a pair) northWest() pair { return pair{a.lo>>7 | a.hi<<57, a.hi >> 7} }
func (a pair) northEast() pair { return pair{a.lo>>6 | a.hi<<58, a.hi >> 6} }
func (a pair) southWest() pair { return pair{a.lo << 6, a.hi<<6 | a.lo>>58} }
func (a pair) southEast() pair { return pair{a.lo << 7, a.hi<<7 | a.lo>>57} }

// jumps returns the squares on which captures over one step land, one set for each direction.
func (a pair) jumps(their, empty pair) (nw, ne, sw, se pair) {
	nw = a.northWest().and(their).northWest().and(empty)
	ne = a.northEast().and(their).northEast().and(empty)
	sw = a.southWest().and(their).southWest().and(empty)
	se = a.southEast().and(their).southEast().and(empty)
	return
}

// nearest returns the bit of a ray in direction d that is nearest to its origin.
func (a pair) nearest(d Direction) int {
	switch {
	case d&2 != 0:
		return a.lowest()
	case a.hi != 0:
		return 63 + bits.Len64(a.hi)
	}
	return bits.Len64(a.lo) - 1
}
