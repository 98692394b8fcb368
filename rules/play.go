package rules

import "math"

// Play returns the position after m, which must be a legal move of p: anything else gives nonsense.
func (v *Variant) Play(p Position, m Move) Position {
	g := v.fast
	if g == nil {
		return v.playSets(p, m)
	}
	from, to := uint64(1)<<(g.board.bit[m.From]&63), uint64(1)<<(g.board.bit[m.To]&63)
	q := Position{Turn: p.Turn ^ 1}
	king := p.kings&from != 0
	q.kings = p.kings &^ (from | m.captured)
	if king || to&g.crown[p.Turn&1] != 0 {
		q.kings |= to
	}
	if p.Turn == White {
		q.white, q.black = p.white&^from|to, p.black&^m.captured
	} else {
		q.white, q.black = p.white&^m.captured, p.black&^from|to
	}
	if king && m.captured == 0 {
		q.Quiet = next(p.Quiet)
	}
	if few(q.white | q.black) {
		q.Endgame = v.endgameCount(p, q)
	}
	return q
}

// few reports whether a set has four squares or fewer.
func few(s uint64) bool {
	s &= s - 1
	s &= s - 1
	s &= s - 1
	return s&(s-1) == 0
}

// next counts one up, and stays at the largest number.
func next(n uint8) uint8 {
	if n == math.MaxUint8 {
		return n
	}
	return n + 1
}

// playSets is Play for every board, a step after the other: the twin of the fast way.
func (v *Variant) playSets(p Position, m Move) Position {
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
		q.Quiet = next(p.Quiet)
	}
	q.Endgame = v.endgameCount(p, q)
	return q
}
