package rules

// Staged move generation for a search: it asks for the captures first, and for the other moves
// only where there are none. Each function does part of the work of [Variant.AppendMoves],
// [Variant.CountMoves] or [Variant.DrawByCount]. They take pointers because a position is too
// large for registers.

// AppendCaptures is AppendMoves without the moves that are no captures: it appends nothing if the
// side to move cannot capture.
func (v *Variant) AppendCaptures(dst []Move, p *Position) []Move {
	g := v.fast
	if g == nil {
		if !v.CanCapture(p) {
			return dst
		}
		return v.AppendMoves(dst, *p)
	}
	s := sideOf(p)
	switch g.facts {
	case internationalKind:
		return appendCaptures[internationalRules](g, dst, s)
	case kingFirstKind:
		return appendCaptures[kingFirstRules](g, dst, s)
	case killerKind:
		return appendCaptures[killerRules](g, dst, s)
	case breakthroughKind:
		return appendCaptures[breakthroughRules](g, dst, s)
	case frisianKind:
		return appendCaptures[frisianRules](g, dst, s)
	case brazilianKind:
		return appendCaptures[brazilianRules](g, dst, s)
	case russianKind:
		return appendCaptures[russianRules](g, dst, s)
	case poolKind:
		return appendCaptures[poolRules](g, dst, s)
	case englishKind:
		return appendCaptures[englishRules](g, dst, s)
	case italianKind:
		return appendCaptures[italianRules](g, dst, s)
	case spanishKind:
		return appendCaptures[spanishRules](g, dst, s)
	case germanKind:
		return appendCaptures[germanRules](g, dst, s)
	case germanHaltKind:
		return appendCaptures[germanHaltRules](g, dst, s)
	case thaiKind:
		return appendCaptures[thaiRules](g, dst, s)
	case turkishKind:
		return appendCaptures[turkishRules](g, dst, s)
	}
	panic("rules: no such generator")
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

// CanCapture is HasCaptures by pointer.
func (v *Variant) CanCapture(p *Position) bool {
	switch {
	case v.fast != nil:
		return v.fast.canCapture(sideOf(p))
	case v.pair != nil:
		s := pairSideOf(p)
		return v.pair.canCapture(&s)
	}
	return v.plain.canCapture(p)
}

// Threatened reports whether the side that is not to move could capture if it were its turn.
func (v *Variant) Threatened(p *Position) bool {
	switch {
	case v.fast != nil:
		s := sideOf(p)
		s.own, s.their, s.turn = s.their, s.own, s.turn^1
		return v.fast.canCapture(s)
	case v.pair != nil:
		s := pairSideOf(p)
		s.own, s.their, s.turn = s.their, s.own, s.turn^1
		return v.pair.canCapture(&s)
	}
	q := *p
	q.Turn ^= 1
	return v.plain.canCapture(&q)
}

// canCapture reports whether the side to move can capture.
func (g *fast) canCapture(s side) bool {
	switch g.facts {
	case internationalKind:
		return canCapture[internationalRules](g, s)
	case kingFirstKind:
		return canCapture[kingFirstRules](g, s)
	case killerKind:
		return canCapture[killerRules](g, s)
	case breakthroughKind:
		return canCapture[breakthroughRules](g, s)
	case frisianKind:
		return canCapture[frisianRules](g, s)
	case brazilianKind:
		return canCapture[brazilianRules](g, s)
	case russianKind:
		return canCapture[russianRules](g, s)
	case poolKind:
		return canCapture[poolRules](g, s)
	case englishKind:
		return canCapture[englishRules](g, s)
	case italianKind:
		return canCapture[italianRules](g, s)
	case spanishKind:
		return canCapture[spanishRules](g, s)
	case germanKind:
		return canCapture[germanRules](g, s)
	case germanHaltKind:
		return canCapture[germanHaltRules](g, s)
	case thaiKind:
		return canCapture[thaiRules](g, s)
	case turkishKind:
		return canCapture[turkishRules](g, s)
	}
	panic("rules: no such generator")
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
