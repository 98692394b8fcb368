package rules

// AppendMoves appends the legal moves of p to dst in canonical order and returns the extended slice. It
// does not allocate if dst has room; 128 moves are enough for every position of a game.
func (v *Variant) AppendMoves(dst []Move, p Position) []Move {
	if v.fast == nil {
		return append(dst, v.ReferenceMoves(p)...)
	}
	s := v.fast.side(&p)
	return v.fast.appendMoves(dst, &s)
}

// CountMoves returns the number of legal moves of p, faster than by making them.
func (v *Variant) CountMoves(p Position) int {
	if v.fast == nil {
		return len(v.ReferenceMoves(p))
	}
	var room [32]Move
	s := v.fast.side(&p)
	return v.fast.countMoves(&s, room[:0])
}

// HasCaptures reports whether the side to move can capture, and so must.
func (v *Variant) HasCaptures(p Position) bool {
	if v.fast == nil {
		moves := v.ReferenceMoves(p)
		return len(moves) > 0 && moves[0].IsCapture()
	}
	s := v.fast.side(&p)
	return v.fast.canCapture(&s)
}
