package rules

// Play returns the position after m, which must be a legal move of p: anything else gives nonsense.
func (v *Variant) Play(p Position, m Move) Position {
	b := v.Board
	from, to, captured := b.Set(m.From), b.Set(m.To), m.Captured()
	own, their := p.Pieces(p.Turn), p.Pieces(p.Turn.Opponent())
	kings := Set{p.kings, p.kingsHi}
	king := b.Has(kings, m.From)

	own = own.AndNot(from).Or(to)
	their = their.AndNot(captured)
	kings = kings.AndNot(from).AndNot(captured)
	if king || v.Promotes(p.Turn, m.To) {
		kings = kings.Or(to)
	}
	q := NewPosition(own, their, kings, p.Turn.Opponent())
	if p.Turn == Black {
		q = NewPosition(their, own, kings, White)
	}
	if king && !m.IsCapture() {
		q.Quiet = p.Quiet + 1
	}
	q.Endgame = v.endgameCount(p, q)
	return q
}
