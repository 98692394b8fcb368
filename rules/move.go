package rules

// Move is a legal move of some position. Its identity is its origin, its destination and the set
// of captured squares. From equals To in a capture that comes back to its start.
//
// There is one exception, in Turkish draughts with the option crown=at-once: two captures of a man
// may agree in all three and differ in whether the man is crowned on its way. There the crowning
// is part of the identity too.
type Move struct {
	captured   uint64
	capturedHi uint16
	From, To   Square
}

// crownedBit in capturedHi, beyond all squares, says that a man is crowned on its way, if that is
// part of the identity. It is a bit and not a field, because the compiler keeps structs of four
// fields in registers.
const crownedBit = 1 << 15

func (m Move) crowned() bool { return m.capturedHi&crownedBit != 0 }

// NewMove returns the move from, to and captured.
func NewMove(from, to Square, captured Set) Move {
	return Move{captured: captured.Lo, capturedHi: captured.Hi, From: from, To: to}
}

// Captured returns the set of captured squares, empty for a quiet move.
func (m Move) Captured() Set { return Set{m.captured, m.capturedHi &^ crownedBit} }

// IsCapture reports whether the move captures.
func (m Move) IsCapture() bool { return m.captured != 0 || m.capturedHi != 0 }

// Less orders moves canonically: by From, then To, then whether the man is crowned on its way,
// then captured set.
func (m Move) Less(n Move) bool {
	if m.From != n.From {
		return m.From < n.From
	}
	if m.To != n.To {
		return m.To < n.To
	}
	return m.capturedHi < n.capturedHi || m.capturedHi == n.capturedHi && m.captured < n.captured
}
