package rules

// Every variant has one symmetry: half a turn of the board with the colours exchanged
// ([Variant.Rotate]). Turkish draughts, where all squares are played on, has a second one: left
// and right exchanged. On every other board that would move the pieces to squares that are not
// played on.

// Rotate returns p after a half turn of the board with the colours exchanged, also that of the
// side to move: the same position seen from the other side. The counters stay.
func (v *Variant) Rotate(p Position) Position {
	q := v.carry(p, v.Board.Rotate)
	r := NewPosition(q.Pieces(Black), q.Pieces(White), Set{q.kings, q.kingsHi}, p.Turn.Opponent())
	r.Quiet, r.Endgame, r.Road = p.Quiet, p.Endgame, p.Road
	r.lastKing = [2]Square{q.lastKing[Black], q.lastKing[White]}
	r.kingMoves = [2]uint8{q.kingMoves[Black], q.kingMoves[White]}
	return r
}

// RotateMove returns the move in [Variant.Rotate](p) that corresponds to m in p.
func (v *Variant) RotateMove(m Move) Move { return v.carryMove(m, v.Board.Rotate) }

// HasMirror reports whether the rules stay the same when left and right are exchanged. Only then
// may [Variant.Mirror] and [Variant.MirrorMove] be called. At present only Turkish draughts has a
// mirror.
func (v *Variant) HasMirror() bool {
	return v.Board.Corner == EverySquare && v.Draws.MainRoad == 0 && v.Draws.LongDiagonal == 0
}

// Mirror returns p with left and right exchanged; its value for the side to move is the same. It
// panics if [Variant.HasMirror] is false. [Geometry.Mirror] does it for one square.
func (v *Variant) Mirror(p Position) Position {
	if !v.HasMirror() {
		panic("rules: the variant has no mirror")
	}
	return v.carry(p, v.Board.Mirror)
}

// MirrorMove returns the move in [Variant.Mirror](p) that corresponds to m in p. It panics if
// [Variant.HasMirror] is false.
func (v *Variant) MirrorMove(m Move) Move {
	if !v.HasMirror() {
		panic("rules: the variant has no mirror")
	}
	return v.carryMove(m, v.Board.Mirror)
}

// carry returns p with every piece s moved to the square to(s).
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
