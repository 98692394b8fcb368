package rules

import (
	"math"
	"math/bits"
)

// Play returns the position after m. m must be a legal move of p; for any other move the result is
// undefined.
func (v *Variant) Play(p Position, m Move) (q Position) {
	g := v.fast
	if g == nil {
		if v.pair != nil {
			return v.playPair(p, m)
		}
		return v.playSets(p, m)
	}
	from, to := uint64(1)<<(g.board.bit[m.From]&63), uint64(1)<<(g.board.bit[m.To]&63)
	king := p.kings&from != 0
	q.movePieces(&p, from, to, m.captured, king || to&g.crown[p.Turn&1] != 0)
	if king && m.captured == 0 {
		q.Quiet = next(p.Quiet)
	}
	if g.rare != 0 {
		v.playRare(&p, &q, m, king)
	} else if q.kings != 0 && few(q.white|q.black) {
		q.Endgame = v.endgameCount(&p, &q)
	}
	return q
}

// PlayTo sets q to the position after m, a legal move of p, as [Variant.Play] does. q must not be
// p. Pointers save two copies a move.
func (v *Variant) PlayTo(q, p *Position, m *Move) {
	g := v.fast
	if g == nil {
		*q = v.Play(*p, *m)
		return
	}
	from, to := uint64(1)<<(g.board.bit[m.From]&63), uint64(1)<<(g.board.bit[m.To]&63)
	king := p.kings&from != 0
	*q = Position{}
	q.movePieces(p, from, to, m.captured, king || to&g.crown[p.Turn&1] != 0)
	if king && m.captured == 0 {
		q.Quiet = next(p.Quiet)
	}
	if q.kings == 0 && g.rare&^rareEndings == 0 {
		return // no draw counter runs
	}
	if g.rare != 0 {
		v.playRare(p, q, *m, king)
	} else if few(q.white | q.black) {
		q.Endgame = v.endgameCount(p, q)
	}
}

// movePieces sets the pieces and the side to move of q to those of p after a move, which ends on a
// king if king is set.
func (q *Position) movePieces(p *Position, from, to, captured uint64, king bool) {
	q.Turn = p.Turn ^ 1
	q.kings = p.kings &^ (from | captured)
	if king {
		q.kings |= to
	}
	if p.Turn == White {
		q.white, q.black = p.white&^from|to, p.black&^captured
	} else {
		q.white, q.black = p.white&^captured, p.black&^from|to
	}
}

// playPair is Play for a board of two words.
func (v *Variant) playPair(p Position, m Move) Position {
	before := pairSideOf(&p)
	s := v.pair.play(&before, m)
	q := Position{Turn: s.turn, kings: s.kings.lo, kingsHi: uint16(s.kings.hi)}
	if s.turn == Black {
		s.own, s.their = s.their, s.own
	}
	q.white, q.whiteHi, q.black, q.blackHi = s.own.lo, uint16(s.own.hi), s.their.lo, uint16(s.their.hi)
	if !m.IsCapture() && v.pair.isKing(&before, m.From) {
		q.Quiet = next(p.Quiet)
	}
	if s.own.or(s.their).count() <= 4 {
		q.Endgame = v.endgameCount(&p, &q)
	}
	return q
}

// Bits for facts that few variants have. Play tests once whether there are any.
const (
	rareCrowning  = 1 << iota // Variant.CrownedAtOnce
	rareRows                  // men move along rows
	rareKingMoves             // Variant.KingMoveLimit
	rareEndings               // DrawRules.countsMore
)

// playRare sets in q, reached from p by m, what depends on the rare facts.
func (v *Variant) playRare(p, q *Position, m Move, king bool) {
	g := v.fast
	if g.rare&rareCrowning != 0 && m.captured&g.brink[p.Turn&1] != 0 {
		q.kings |= 1 << (g.board.bit[m.To] & 63)
	}
	if g.rare&rareRows != 0 && !king && m.captured == 0 && g.board.Row(m.From) == g.board.Row(m.To) {
		q.Quiet = next(p.Quiet)
	}
	if g.rare&rareKingMoves != 0 && p.kings != 0 {
		v.countKingMoves(p, q, m, king)
	}
	if few(q.white|q.black) || g.rare&rareEndings != 0 &&
		(q.white&(q.white-1) == 0 || q.black&(q.black-1) == 0 || bits.OnesCount64(q.white|q.black) <= 7) {
		q.Endgame = v.endgameCount(p, q)
		if v.Draws.MainRoad > 0 && v.holdsRoad(q) && v.holdsRoad(p) {
			q.Road = next(p.Road)
		}
	}
}

// few reports whether a set has four squares or fewer.
func few(s uint64) bool {
	s &= s - 1
	s &= s - 1
	s &= s - 1
	return s&(s-1) == 0
}

// next returns n+1, or n at the largest number.
func next(n uint8) uint8 {
	if n == math.MaxUint8 {
		return n
	}
	return n + 1
}

// playSets is Play for every board, step by step: the twin of the fast way.
func (v *Variant) playSets(p Position, m Move) Position {
	b := v.Board
	from, to, captured := b.Set(m.From), b.Set(m.To), m.Captured()
	own, their := p.Pieces(p.Turn), p.Pieces(p.Turn.Opponent())
	kings := Set{p.kings, p.kingsHi}
	king := b.Has(kings, m.From)

	own = own.AndNot(from).Or(to)
	their = their.AndNot(captured)
	kings = kings.AndNot(from).AndNot(captured)
	crowned := !king && (v.Promotes(p.Turn, m.To) || m.IsCapture() && v.crownedOnTheWay(p.Turn, m))
	if king || crowned {
		kings = kings.Or(to)
	}
	q := NewPosition(own, their, kings, p.Turn.Opponent())
	if p.Turn == Black {
		q = NewPosition(their, own, kings, White)
	}
	if !m.IsCapture() && (king || b.Row(m.From) == b.Row(m.To)) {
		q.Quiet = next(p.Quiet)
	}
	q.Endgame = v.endgameCount(&p, &q)
	if v.Draws.MainRoad > 0 && v.holdsRoad(&q) && v.holdsRoad(&p) {
		q.Road = next(p.Road)
	}
	if v.KingMoveLimit > 0 {
		v.countKingMoves(&p, &q, m, king)
	}
	return q
}

// countKingMoves sets the king moves in a row of q, reached from p by m. The count of a side ends
// when it makes another move, loses that king or loses its last man.
func (v *Variant) countKingMoves(p, q *Position, m Move, king bool) {
	c, o := p.Turn, p.Turn.Opponent()
	if king && !m.IsCapture() && !q.Men(c).Empty() {
		q.lastKing[c], q.kingMoves[c] = m.To, 1
		if p.lastKing[c] == m.From {
			q.kingMoves[c] = next(p.kingMoves[c])
		}
	}
	if s := p.lastKing[o]; s != NoSquare && !q.Men(o).Empty() && v.Board.Has(q.Pieces(o), s) {
		q.lastKing[o], q.kingMoves[o] = s, p.kingMoves[o]
	}
}
