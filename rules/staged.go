package rules

// Staged move generation for a search: it first asks whether there is a capture, and then for the
// moves of that kind only. Each function does part of the work of [Variant.AppendMoves],
// [Variant.CountMoves] or [Variant.DrawByCount].

// AppendCaptures is AppendMoves for a position in which the side to move can capture.
func (v *Variant) AppendCaptures(dst []Move, p *Position) []Move {
	g := v.fast
	if g == nil {
		return v.AppendMoves(dst, *p)
	}
	first := len(dst)
	s := sideOf(p)
	switch g.facts {
	case internationalKind:
		dst = appendCaptures[internationalRules](g, dst, s)
	case kingFirstKind:
		dst = appendCaptures[kingFirstRules](g, dst, s)
	case killerKind:
		dst = appendCaptures[killerRules](g, dst, s)
	case breakthroughKind:
		dst = appendCaptures[breakthroughRules](g, dst, s)
	case frisianKind:
		dst = appendCaptures[frisianRules](g, dst, s)
	case brazilianKind:
		dst = appendCaptures[brazilianRules](g, dst, s)
	case russianKind:
		dst = appendCaptures[russianRules](g, dst, s)
	case poolKind:
		dst = appendCaptures[poolRules](g, dst, s)
	case englishKind:
		dst = appendCaptures[englishRules](g, dst, s)
	case italianKind:
		dst = appendCaptures[italianRules](g, dst, s)
	case spanishKind:
		dst = appendCaptures[spanishRules](g, dst, s)
	case germanKind:
		dst = appendCaptures[germanRules](g, dst, s)
	case germanHaltKind:
		dst = appendCaptures[germanHaltRules](g, dst, s)
	case thaiKind:
		dst = appendCaptures[thaiRules](g, dst, s)
	case turkishKind:
		dst = appendCaptures[turkishRules](g, dst, s)
	default:
		panic("rules: no such generator")
	}
	if len(dst)-first > 1 {
		sortMoves(dst[first:])
	}
	return dst
}

// AppendQuiet is AppendMoves for a position in which the side to move cannot capture.
func (v *Variant) AppendQuiet(dst []Move, p *Position) []Move {
	g := v.fast
	if g == nil {
		return v.AppendMoves(dst, *p)
	}
	s := sideOf(p)
	switch f := g.facts; {
	case f&firstKing != 0 && s.kings != 0:
		return dst
	case f&full != 0:
		return appendQuiet[turkishRules](g, dst, s)
	case f&wide != 0:
		dst, first := appendQuiet[internationalRules](g, dst, s), len(dst)
		if v.KingMoveLimit > 0 {
			return v.unbarred(dst, first, p)
		}
		return dst
	case f&flying != 0:
		return appendQuiet[russianRules](g, dst, s)
	}
	return appendQuiet[englishRules](g, dst, s)
}

// CanMove reports whether the side to move, which cannot capture, has a legal move.
func (v *Variant) CanMove(p *Position) bool {
	g := v.fast
	if g == nil {
		return v.CountMoves(*p) > 0
	}
	s := sideOf(p)
	f := g.facts
	if f&firstKing != 0 && s.kings != 0 {
		return false
	}
	if men := s.own &^ s.kings; f&full == 0 {
		e := g.empty(s)
		l, r := uint(4), uint(5)
		if f&wide != 0 {
			l, r = 6, 7
		}
		if s.turn == White && men&(e<<(l&63)|e<<(r&63)) != 0 || s.turn == Black && men&(e>>(l&63)|e>>(r&63)) != 0 {
			return true
		}
	}
	return v.CountMoves(*p) > 0
}

// MayBeDrawn reports whether p may be drawn by a move-count rule or by repetition. If it returns
// false, [Variant.DrawByCount] finds no draw and no earlier position of the game is the same as p.
func (v *Variant) MayBeDrawn(p *Position) bool {
	return p.kings != 0 || p.kingsHi != 0 || p.Quiet != 0 || p.Road != 0 || v.Draws.OneEach
}
