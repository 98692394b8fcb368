package rules

// endgame classes: which of the rules for few pieces holds.
type endgame uint8

const (
	noEndgame endgame = iota
	threePieces
	twoPieces // two or one
)

// endgameOf tells which rule for a lone king the pieces of p fall under, and whose the lone king is.
func endgameOf(p Position) (endgame, Color) {
	white, black := p.Pieces(White).Len(), p.Pieces(Black).Len()
	if white+black > 4 {
		return noEndgame, White
	}
	for _, lone := range [2]Color{White, Black} {
		few, many := white, black
		if lone == Black {
			few, many = black, white
		}
		if few != 1 || p.Kings(lone).Empty() || p.Kings(lone.Opponent()).Empty() {
			continue
		}
		if many == 3 {
			return threePieces, lone
		}
		return twoPieces, lone
	}
	return noEndgame, White
}

// endgameLimit returns how many plies the rule for few pieces allows in p, and the reason of the draw:
// 0 means no rule holds, -1 a draw at once.
func (v *Variant) endgameLimit(p Position) (int, Reason) {
	class, lone := endgameOf(p)
	switch {
	case class == noEndgame:
		return 0, NoReason
	case class == twoPieces && v.Draws.TwoPieces < 0:
		return -1, ImmediateDraw
	case class == twoPieces:
		return v.Draws.TwoPieces, Endgame5
	case v.Draws.ThreeKings && p.Kings(lone.Opponent()).Len() == 3:
		return -1, ImmediateDraw
	case v.Draws.LongDiagonal == 0:
		return v.Draws.ThreePieces, Endgame16
	}
	king := p.Kings(lone)
	if s := v.Board.Pop(&king); v.Board.Row(s)+v.Board.Column(s) == v.Board.Rows-1 {
		return v.Draws.LongDiagonal, Endgame15
	}
	return v.Draws.ThreePieces, Endgame5
}

// endgameCount returns the Endgame counter of q, reached from p. The count begins after the move that
// makes the balance. Where a capture leads from three pieces to two, what remains of the longer count
// goes on to bind: the players do not gain moves by it.
func (v *Variant) endgameCount(p, q Position) uint8 {
	after, _ := endgameOf(q)
	if after == noEndgame {
		return 0
	}
	switch before, _ := endgameOf(p); {
	case before == after:
		return next(p.Endgame)
	case before == threePieces:
		long, _ := v.endgameLimit(p)
		short, _ := v.endgameLimit(q)
		if left := long - int(p.Endgame) - 1; left < short {
			return uint8(short - max(left, 0))
		}
	}
	return 0
}

// DrawByCount returns the move-count rule by which p is drawn, NoReason if none: everything but
// repetition. A side to move without a legal move has lost whatever the counters say; the caller looks
// at that first.
func (v *Variant) DrawByCount(p Position) Reason {
	if v.Draws.KingPlies > 0 && int(p.Quiet) >= v.Draws.KingPlies {
		return KingMoves25
	}
	if limit, reason := v.endgameLimit(p); limit < 0 || limit > 0 && int(p.Endgame) >= limit {
		return reason
	}
	return NoReason
}
