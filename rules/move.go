package rules

// Move is a legal move of some position: origin, destination and the set of captured squares, which
// together are its identity. From and To may be equal, in a capture that comes back to its start.
type Move struct {
	captured   uint64
	capturedHi uint16
	From, To   Square
}

// NewMove returns the move from, to and captured.
func NewMove(from, to Square, captured Set) Move {
	return Move{captured: captured.Lo, capturedHi: captured.Hi, From: from, To: to}
}

// Captured returns the set of captured squares, empty for a quiet move.
func (m Move) Captured() Set { return Set{m.captured, m.capturedHi} }

// IsCapture reports whether the move captures.
func (m Move) IsCapture() bool { return m.captured != 0 || m.capturedHi != 0 }

// Less orders moves canonically: by From, then To, then captured set.
func (m Move) Less(n Move) bool {
	if m.From != n.From {
		return m.From < n.From
	}
	if m.To != n.To {
		return m.To < n.To
	}
	return m.Captured().Less(n.Captured())
}
