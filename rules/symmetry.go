package rules

// Every variant has one symmetry: half a turn of the board with the colours exchanged ([Variant.Rotate]).
// Exchanging left and right is a second one only where all squares are played on, in Turkish draughts: it
// takes the playing squares of every other board to those that are not.

// Rotate returns p after a half turn of the board with the colours exchanged, the side to move among
// them: the same position for the other side. The counters stay.
func (v *Variant) Rotate(p Position) Position {
	q := v.carry(p, v.Board.Rotate)
	r := NewPosition(q.Pieces(Black), q.Pieces(White), Set{q.kings, q.kingsHi}, p.Turn.Opponent())
	r.Quiet, r.Endgame, r.Road = p.Quiet, p.Endgame, p.Road
	r.lastKing = [2]Square{q.lastKing[Black], q.lastKing[White]}
	r.kingMoves = [2]uint8{q.kingMoves[Black], q.kingMoves[White]}
	return r
}

// RotateMove returns the move of [Variant.Rotate] of a position that m is in the position itself.
func (v *Variant) RotateMove(m Move) Move { return v.carryMove(m, v.Board.Rotate) }

// HasMirror reports whether the rules are the same with left and right exchanged, so that [Variant.Mirror]
// and [Variant.MirrorMove] may be called. The board of the family that has a mirror is that of Turkish
// draughts.
func (v *Variant) HasMirror() bool {
	return v.Board.Corner == EverySquare && v.Draws.MainRoad == 0 && v.Draws.LongDiagonal == 0
}

// Mirror returns p with left and right exchanged, which is worth the same to the side to move. It panics
// where [Variant.HasMirror] is false. A single square's is [Geometry.Mirror].
func (v *Variant) Mirror(p Position) Position {
	if !v.HasMirror() {
		panic("rules: the variant has no mirror")
	}
	return v.carry(p, v.Board.Mirror)
}

// MirrorMove returns the move of [Variant.Mirror] of a position that m is in the position itself. It
// panics where [Variant.HasMirror] is false.
func (v *Variant) MirrorMove(m Move) Move {
	if !v.HasMirror() {
		panic("rules: the variant has no mirror")
	}
	return v.carryMove(m, v.Board.Mirror)
}

// carry returns p with everything on other squares.
func (v *Variant) carry(p Position, to func(Square) Square) Position {
	q := p
	for _, c := range [2]Color{White, Black} {
		if p.lastKing[c] != NoSquare {
			q.lastKing[c] = to(p.lastKing[c])
		}
	}
	white, black, kings := v.carrySet(p.Pieces(White), to), v.carrySet(p.Pieces(Black), to), v.carrySet(Set{p.kings, p.kingsHi}, to)
	q.white, q.black, q.kings = white.Lo, black.Lo, kings.Lo
	q.whiteHi, q.blackHi, q.kingsHi = white.Hi, black.Hi, kings.Hi
	return q
}

func (v *Variant) carryMove(m Move, to func(Square) Square) Move {
	n := NewMove(to(m.From), to(m.To), v.carrySet(m.Captured(), to))
	n.capturedHi |= m.capturedHi & crownedBit
	return n
}

func (v *Variant) carrySet(t Set, to func(Square) Square) Set {
	var r Set
	for !t.Empty() {
		r = r.Or(v.Board.Set(to(v.Board.Pop(&t))))
	}
	return r
}
