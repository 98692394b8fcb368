package rules

// Perft returns the number of leaves of the move tree of the given depth: sequences of that many legal
// moves, moves being counted by their identity. Draw rules do not apply; depth 0 has one leaf.
func (v *Variant) Perft(p Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	moves := v.AppendMoves(nil, p)
	if depth == 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, m := range moves {
		n += v.Perft(v.Play(p, m), depth-1)
	}
	return n
}
