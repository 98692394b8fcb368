package rules

// endgame is a class of endings with few pieces that has a draw rule of its own.
type endgame uint8

const (
	noEndgame   endgame = iota
	threePieces         // three pieces against a lone king
	twoPieces           // one or two pieces against a lone king
	manyKings           // three kings or more against a lone king
	twoKings            // two kings against a lone king
	oneKing             // one king against a lone king
	fourPieces          // four or five pieces on the board
	sixPieces           // six or seven pieces on the board
)

// countsMore reports whether the variant has a rule for few pieces besides those for a lone king
// against at most three pieces.
func (d DrawRules) countsMore() bool {
	return d.ManyKings|d.MainRoad|d.TwoKings|d.OneKing|d.FourPieces|d.SixPieces != 0
}

// endgameOf returns the rule for few pieces that p falls under, and the side of the lone king if
// there is one. It returns noEndgame for rules that the variant does not have.
func (v *Variant) endgameOf(p *Position) (endgame, Color) {
	if p.kings == 0 && p.kingsHi == 0 { // most positions
		return noEndgame, White
	}
	d := &v.Draws
	white, black := p.Pieces(White).Len(), p.Pieces(Black).Len()
	if white+black > 4 && !d.countsMore() {
		return noEndgame, White
	}
	if p.Kings(White).Empty() || p.Kings(Black).Empty() {
		return noEndgame, White
	}
	for _, lone := range [2]Color{White, Black} {
		few, many := white, black
		if lone == Black {
			few, many = black, white
		}
		if few != 1 {
			continue
		}
		onlyKings := p.Men(lone.Opponent()).Empty()
		switch {
		case many == 1 && d.OneKing != 0:
			return oneKing, lone
		case many == 2 && onlyKings && d.TwoKings != 0:
			return twoKings, lone
		case many <= 2 && d.TwoPieces != 0:
			return twoPieces, lone
		case many >= 3 && onlyKings && d.ManyKings != 0:
			return manyKings, lone
		case many == 3 && (d.ThreePieces != 0 || d.ThreeKings):
			return threePieces, lone
		}
		break
	}
	switch n := white + black; {
	case d.FourPieces != 0 && (n == 4 || n == 5):
		return fourPieces, White
	case d.SixPieces != 0 && (n == 6 || n == 7):
		return sixPieces, White
	}
	return noEndgame, White
}

// endgameLimit returns how many plies the rule for few pieces allows in p, and the reason of the
// draw: 0 means no rule holds, -1 a draw at once.
func (v *Variant) endgameLimit(p *Position) (int, Reason) {
	d := &v.Draws
	switch class, lone := v.endgameOf(p); class {
	case threePieces:
		switch {
		case d.ThreeKings && p.Kings(lone.Opponent()).Len() == 3:
			return -1, ImmediateDraw
		case d.LongDiagonal == 0:
			return d.ThreePieces, Endgame16
		}
		king := p.Kings(lone)
		if v.Board.MainRoad(v.Board.Pop(&king)) {
			return d.LongDiagonal, Endgame15
		}
		return d.ThreePieces, Endgame5
	case twoPieces:
		return limit(d.TwoPieces)
	case manyKings:
		return limit(d.ManyKings)
	case twoKings:
		return limit(d.TwoKings)
	case oneKing:
		if d.OneKing < 0 && v.HasCaptures(*p) {
			return 0, NoReason
		}
		return limit(d.OneKing)
	case fourPieces:
		return limit(d.FourPieces)
	case sixPieces:
		return limit(d.SixPieces)
	}
	return 0, NoReason
}

func limit(plies int) (int, Reason) {
	if plies < 0 {
		return plies, ImmediateDraw
	}
	return plies, countReason(plies)
}

// endgameCount returns the Endgame counter of q, reached from p. Counting begins after the move
// that reaches the ending. When a capture leads from three pieces to two, what remains of the
// longer count still applies, so that the players gain no moves by the capture.
func (v *Variant) endgameCount(p, q *Position) uint8 {
	after, _ := v.endgameOf(q)
	if after == noEndgame {
		return 0
	}
	switch before, _ := v.endgameOf(p); {
	case before == after && before >= manyKings && !sameBalance(p, q):
		return 0
	case before == after:
		return next(p.Endgame)
	case before == threePieces && after == twoPieces:
		long, _ := v.endgameLimit(p)
		short, _ := v.endgameLimit(q)
		if left := long - int(p.Endgame) - 1; left < short {
			return uint8(short - max(left, 0))
		}
	}
	return 0
}

// sameBalance reports whether nothing was captured or crowned between p and q.
func sameBalance(p, q *Position) bool {
	for _, c := range [2]Color{White, Black} {
		if p.Men(c).Len() != q.Men(c).Len() || p.Kings(c).Len() != q.Kings(c).Len() {
			return false
		}
	}
	return true
}

// holdsRoad reports whether p is a lone king on the main road against three pieces, a king among
// them.
func (v *Variant) holdsRoad(p Position) bool {
	for _, lone := range [2]Color{White, Black} {
		if king := p.Kings(lone); king.Len() == 1 && p.Pieces(lone).Len() == 1 &&
			p.Pieces(lone.Opponent()).Len() == 3 && !p.Kings(lone.Opponent()).Empty() {
			return v.Board.MainRoad(v.Board.Pop(&king))
		}
	}
	return false
}

// DrawByCount returns the move-count rule by which p is drawn, NoReason if none. It looks at every
// draw rule except repetition. A side without a legal move has lost (or won) whatever the counters
// say; the caller must test that first.
func (v *Variant) DrawByCount(p Position) Reason {
	d := &v.Draws
	if d.KingPlies > 0 && int(p.Quiet) >= d.KingPlies {
		return countReason(d.KingPlies)
	}
	if limit, reason := v.endgameLimit(&p); limit < 0 || limit > 0 && int(p.Endgame) >= limit {
		return reason
	}
	if d.MainRoad > 0 && int(p.Road) >= d.MainRoad {
		return MainRoad5
	}
	if d.OneEach && p.Pieces(White).Len() == 1 && p.Pieces(Black).Len() == 1 &&
		p.Kings(White).Empty() == p.Kings(Black).Empty() && !v.HasCaptures(p) {
		return ImmediateDraw
	}
	return NoReason
}
