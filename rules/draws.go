package rules

import "math/bits"

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

// atOnce reports whether the variant has an ending that is a draw when it is reached.
func (d DrawRules) atOnce() bool {
	return d.ThreeKings || d.ThreePieces|d.TwoPieces|d.ManyKings|d.TwoKings|d.OneKing|d.FourPieces|d.SixPieces < 0
}

// balance is the number of pieces of each side, kings included, and of kings.
type balance struct{ white, black, whiteKings, blackKings int }

// balance returns the numbers of pieces of p.
func (p *Position) balance() balance {
	return balance{
		white:      bits.OnesCount64(p.white) + bits.OnesCount16(p.whiteHi),
		black:      bits.OnesCount64(p.black) + bits.OnesCount16(p.blackHi),
		whiteKings: bits.OnesCount64(p.white&p.kings) + bits.OnesCount16(p.whiteHi&p.kingsHi),
		blackKings: bits.OnesCount64(p.black&p.kings) + bits.OnesCount16(p.blackHi&p.kingsHi),
	}
}

// endgameOf returns the rule for few pieces that positions of this balance fall under, and the
// side of the lone king if there is one. It returns noEndgame for rules that the variant does not
// have.
func (v *Variant) endgameOf(b balance) (endgame, Color) {
	d := &v.Draws
	if b.whiteKings == 0 || b.blackKings == 0 || b.white+b.black > 4 && !d.countsMore() {
		return noEndgame, White
	}
	if b.white == 1 || b.black == 1 {
		lone, many, kings := White, b.black, b.blackKings
		if b.white != 1 {
			lone, many, kings = Black, b.white, b.whiteKings
		}
		onlyKings := kings == many
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
	}
	switch n := b.white + b.black; {
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
	if p.kings == 0 && p.kingsHi == 0 { // most positions
		return 0, NoReason
	}
	switch class, lone := v.endgameOf(p.balance()); class {
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
	if q.kings == 0 && q.kingsHi == 0 { // most positions
		return 0
	}
	is := q.balance()
	after, _ := v.endgameOf(is)
	if after == noEndgame {
		return 0
	}
	was := p.balance()
	if was == is { // nothing was captured or crowned
		return next(p.Endgame)
	}
	switch before, _ := v.endgameOf(was); {
	case before == after && before >= manyKings:
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

// holdsRoad reports whether p is a lone king on the main road against three pieces, a king among
// them.
func (v *Variant) holdsRoad(p *Position) bool {
	b := p.balance()
	lone := White
	switch {
	case b.whiteKings == 0 || b.blackKings == 0:
		return false
	case b.white == 1 && b.black == 3:
	case b.white == 3 && b.black == 1:
		lone = Black
	default:
		return false
	}
	king := p.Pieces(lone)
	return v.Board.MainRoad(v.Board.Pop(&king))
}

// DrawByCount returns the move-count rule by which p is drawn, NoReason if none. It looks at every
// draw rule except repetition. A side without a legal move has lost (or won) whatever the counters
// say; the caller must test that first.
func (v *Variant) DrawByCount(p Position) Reason {
	d := &v.Draws
	if d.KingPlies > 0 && int(p.Quiet) >= d.KingPlies {
		return countReason(d.KingPlies)
	}
	if p.Endgame > 0 || d.atOnce() {
		if limit, reason := v.endgameLimit(&p); limit < 0 || limit > 0 && int(p.Endgame) >= limit {
			return reason
		}
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
