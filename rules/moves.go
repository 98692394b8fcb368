package rules

// AppendMoves appends the legal moves of p to dst in canonical order and returns the extended
// slice. It does not allocate if dst has room; room for 128 moves is enough for every position of
// a game.
func (v *Variant) AppendMoves(dst []Move, p Position) []Move {
	g := v.fast
	if g == nil {
		if v.pair != nil {
			s := pairSideOf(&p)
			return v.pair.appendMoves(dst, &s)
		}
		return v.plain.appendMoves(dst, &p)
	}
	s := sideOf(&p)
	// A switch and not an interface, because an interface would send the memory of dst to the
	// heap.
	switch g.facts {
	case internationalKind:
		return appendMoves[internationalRules](g, dst, s)
	case kingFirstKind:
		return appendMoves[kingFirstRules](g, dst, s)
	case killerKind:
		return appendMoves[killerRules](g, dst, s)
	case breakthroughKind:
		return appendMoves[breakthroughRules](g, dst, s)
	case frisianKind:
		return v.unbarred(appendMoves[frisianRules](g, dst, s), len(dst), &p)
	case brazilianKind:
		return appendMoves[brazilianRules](g, dst, s)
	case russianKind:
		return appendMoves[russianRules](g, dst, s)
	case poolKind:
		return appendMoves[poolRules](g, dst, s)
	case englishKind:
		return appendMoves[englishRules](g, dst, s)
	case italianKind:
		return appendMoves[italianRules](g, dst, s)
	case spanishKind:
		return appendMoves[spanishRules](g, dst, s)
	case germanKind:
		return appendMoves[germanRules](g, dst, s)
	case germanHaltKind:
		return appendMoves[germanHaltRules](g, dst, s)
	case thaiKind:
		return appendMoves[thaiRules](g, dst, s)
	case turkishKind:
		return appendMoves[turkishRules](g, dst, s)
	}
	panic("rules: no such generator")
}

// unbarred removes from moves[n:] the moves of a king that may not make a quiet move.
func (v *Variant) unbarred(moves []Move, n int, p *Position) []Move {
	barred := v.barred(p)
	if barred == NoSquare || n == len(moves) || moves[n].IsCapture() {
		return moves
	}
	for _, m := range moves[n:] {
		if m.From != barred {
			moves[n] = m
			n++
		}
	}
	return moves[:n]
}

// CountMoves returns the number of legal moves of p. It counts without making them where it can,
// which is faster.
func (v *Variant) CountMoves(p Position) int {
	var room [32]Move
	switch {
	case v.pair != nil:
		s := pairSideOf(&p)
		return int(v.pair.leaves(&s, room[:0]))
	case v.fast == nil || v.barred(&p) != NoSquare:
		return len(v.AppendMoves(room[:0], p))
	}
	return int(v.fast.perft(sideOf(&p), 1, room[:0]))
}

// HasCaptures reports whether the side to move can capture. If it can, it must.
func (v *Variant) HasCaptures(p Position) bool { return v.CanCapture(&p) }
