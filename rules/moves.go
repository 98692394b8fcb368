package rules

// AppendMoves appends the legal moves of p to dst in canonical order and returns the extended slice. It
// does not allocate if dst has room; 128 moves are enough for every position of a game.
func (v *Variant) AppendMoves(dst []Move, p Position) []Move {
	if v.fast == nil {
		return v.plain.appendMoves(dst, &p)
	}
	s := v.fast.side(&p)
	return v.fast.appendMoves(dst, &s)
}

// CountMoves returns the number of legal moves of p, faster than by making them where there is a way.
func (v *Variant) CountMoves(p Position) int {
	var room [32]Move
	if v.fast == nil {
		return len(v.plain.appendMoves(room[:0], &p))
	}
	s := v.fast.side(&p)
	return v.fast.countMoves(&s, room[:0])
}

// HasCaptures reports whether the side to move can capture, and so must.
func (v *Variant) HasCaptures(p Position) bool {
	if v.fast == nil {
		return v.plain.canCapture(&p)
	}
	s := v.fast.side(&p)
	return v.fast.canCapture(&s)
}
