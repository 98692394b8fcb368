package rules

// Standing says what the side to move can do in a position.
type Standing uint8

// The standings.
const (
	Stuck       Standing = iota // it has no legal move
	CanMove                     // it has legal moves, none of them a capture
	MustCapture                 // all its moves are captures
)

// Next is a position after a move, and what the side to move there can do.
type Next struct {
	Position Position
	Standing Standing
	Move     uint16 // index of the move among those given or found
}

// Standing returns what the side to move of p can do.
func (v *Variant) Standing(p Position) Standing {
	switch {
	case v.HasCaptures(p):
		return MustCapture
	case v.CountMoves(p) == 0:
		return Stuck
	}
	return CanMove
}

// AppendNext appends the positions after moves, which must be legal moves of p, to dst in their
// order. It gives the result of [Variant.Play] and [Variant.Standing] for each move, but is
// faster.
func (v *Variant) AppendNext(dst []Next, p *Position, moves []Move) []Next {
	dst, _ = v.appendNext(dst, p, moves, afterAll)
	return dst
}

// AppendOffers appends the positions after the offers among moves to dst: those after which the
// opponent must capture. moves must be legal and no captures. It gives what [Variant.AppendNext]
// does for these moves, but is faster.
func (v *Variant) AppendOffers(dst []Next, p *Position, moves []Move) []Next {
	dst, _ = v.appendNext(dst, p, moves, afterOffers)
	return dst
}

// AppendCaptured appends the positions after the captures of p to dst, in any order. p must have a
// capture ([MustCapture]). It uses room for the list of captures and returns it, because it may
// have grown.
func (v *Variant) AppendCaptured(dst []Next, room []Move, p *Position) ([]Next, []Move) {
	return v.appendNext(dst, p, room[:0], afterCaptures)
}

// after says which positions appendNext appends.
type after uint8

const (
	afterAll      after = iota // those after the moves given
	afterOffers                // of these, those in which the opponent must capture
	afterCaptures              // those after all captures, for the list of which the moves are room
)

// appendNext is AppendNext, AppendOffers or AppendCaptured.
func (v *Variant) appendNext(dst []Next, p *Position, moves []Move, which after) ([]Next, []Move) {
	g := v.fast
	if g == nil || g.rare != 0 && v.KingMoveLimit > 0 && p.kings != 0 {
		if which == afterCaptures {
			moves = v.AppendMoves(moves, *p)
		}
		for i, m := range moves {
			q := v.Play(*p, m)
			if x := (Next{q, v.Standing(q), uint16(i)}); which != afterOffers || x.Standing == MustCapture {
				dst = append(dst, x)
			}
		}
		return dst, moves
	}
	switch g.facts {
	case internationalKind:
		return appendNext[internationalRules](v, dst, p, moves, which)
	case kingFirstKind:
		return appendNext[kingFirstRules](v, dst, p, moves, which)
	case killerKind:
		return appendNext[killerRules](v, dst, p, moves, which)
	case breakthroughKind:
		return appendNext[breakthroughRules](v, dst, p, moves, which)
	case frisianKind:
		return appendNext[frisianRules](v, dst, p, moves, which)
	case brazilianKind:
		return appendNext[brazilianRules](v, dst, p, moves, which)
	case russianKind:
		return appendNext[russianRules](v, dst, p, moves, which)
	case poolKind:
		return appendNext[poolRules](v, dst, p, moves, which)
	case englishKind:
		return appendNext[englishRules](v, dst, p, moves, which)
	case italianKind:
		return appendNext[italianRules](v, dst, p, moves, which)
	case spanishKind:
		return appendNext[spanishRules](v, dst, p, moves, which)
	case germanKind:
		return appendNext[germanRules](v, dst, p, moves, which)
	case germanHaltKind:
		return appendNext[germanHaltRules](v, dst, p, moves, which)
	case thaiKind:
		return appendNext[thaiRules](v, dst, p, moves, which)
	case turkishKind:
		return appendNext[turkishRules](v, dst, p, moves, which)
	}
	panic("rules: no such generator")
}

func appendNext[F fastFacts](v *Variant, dst []Next, p *Position, moves []Move, which after) ([]Next, []Move) {
	g := v.fast
	switch which {
	case afterOffers:
		return appendOffers[F](v, dst, p, moves, 0), moves
	case afterCaptures:
		moves = appendCaptures[F](g, moves, sideOf(p))
	}
	for i := range moves {
		n := len(dst)
		if n == cap(dst) {
			dst = append(dst, Next{})
		} else {
			dst = dst[:n+1]
		}
		q := &dst[n]
		v.PlayTo(&q.Position, p, &moves[i])
		q.Standing, q.Move = standing[F](g, sideOf(&q.Position)), uint16(i)
	}
	return dst, moves
}

// standing returns what the side to move can do.
func standing[F fastFacts](g *fast, s side) Standing {
	switch {
	case canCapture[F](g, s):
		return MustCapture
	case canMove[F](g, s):
		return CanMove
	}
	return Stuck
}

// canMove reports whether the side to move, which cannot capture, can move.
func canMove[F fastFacts](g *fast, s side) bool {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return false
	}
	kings := s.own & s.kings
	var to uint64
	switch {
	case f&full != 0:
		to = west(f, s.own) | east(f, s.own) | ahead(f, s.turn, s.own) | north(f, kings) | south(f, kings)
	case s.turn == White:
		to = northWest(f, s.own) | northEast(f, s.own) | southWest(f, kings) | southEast(f, kings)
	default:
		to = southWest(f, s.own) | southEast(f, s.own) | northWest(f, kings) | northEast(f, kings)
	}
	return to&g.empty(s) != 0
}
