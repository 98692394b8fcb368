package rules

import "math/bits"

// Set is a set of squares in the bit layout of a [Geometry]. Lo holds the whole board for boards
// of up to 64 bits; Hi holds the bits from 64 up of a 12x12 board.
type Set struct {
	Lo uint64
	Hi uint16
}

// Len returns the number of squares in the set.
func (s Set) Len() int { return bits.OnesCount64(s.Lo) + bits.OnesCount16(s.Hi) }

// Empty reports whether the set has no square.
func (s Set) Empty() bool { return s.Lo == 0 && s.Hi == 0 }

// Or returns the union.
func (s Set) Or(t Set) Set { return Set{s.Lo | t.Lo, s.Hi | t.Hi} }

// And returns the intersection.
func (s Set) And(t Set) Set { return Set{s.Lo & t.Lo, s.Hi & t.Hi} }

// AndNot returns the squares of s that are not in t.
func (s Set) AndNot(t Set) Set { return Set{s.Lo &^ t.Lo, s.Hi &^ t.Hi} }

// Less orders sets as the number Hi:Lo.
func (s Set) Less(t Set) bool { return s.Hi < t.Hi || s.Hi == t.Hi && s.Lo < t.Lo }
