package egdb

import (
	"fmt"
	"math/bits"

	"damier/rules"
)

// set is a set of squares in the bit layout of rules.Geometry, in two words.
type set struct{ lo, hi uint64 }

func setOf(s rules.Set) set { return set{s.Lo, uint64(s.Hi)} }

func (s set) rules() rules.Set { return rules.Set{Lo: s.lo, Hi: uint16(s.hi)} }

func (s set) or(t set) set     { return set{s.lo | t.lo, s.hi | t.hi} }
func (s set) and(t set) set    { return set{s.lo & t.lo, s.hi & t.hi} }
func (s set) andNot(t set) set { return set{s.lo &^ t.lo, s.hi &^ t.hi} }
func (s set) any() bool        { return s.lo|s.hi != 0 }
func (s set) len() int         { return bits.OnesCount64(s.lo) + bits.OnesCount64(s.hi) }

// at returns the set of one bit.
func at(bit uint8) set {
	if bit < 64 {
		return set{1 << (bit & 63), 0}
	}
	return set{0, 1 << (bit & 63)}
}

// lowest returns the lowest bit of a set that is not empty.
func (s set) lowest() uint8 {
	if s.lo != 0 {
		return uint8(bits.TrailingZeros64(s.lo))
	}
	return uint8(64 + bits.TrailingZeros64(s.hi))
}

// rest returns the set without its lowest bit.
func (s set) rest() set {
	if s.lo != 0 {
		return set{s.lo & (s.lo - 1), s.hi}
	}
	return set{0, s.hi & (s.hi - 1)}
}

// kingRun is the number of quiet moves in a row of one king, and the bit of its square.
type kingRun struct{ n, bit uint8 }

// placement is a position with White to move, as sets; White's pieces are its "own". The runs are
// zero in variants that do not limit king moves.
type placement struct {
	men, kings           set
	theirMen, theirKings set
	run, theirRun        kingRun
}

// none is the bit of a square beyond the edge of the board.
const none = 255

// board is the data of a variant that the package uses.
type board struct {
	v       *rules.Variant
	squares int
	inRow   int
	all     set
	home    set // the last row: White's home row, where Black's men are crowned
	crown   set // the first row, where White's men are crowned
	last    int // the bit of a square plus the bit of its rotation; the same for all squares
	bitOf   [rules.MaxSquares]uint8
	step    [8][80]uint8 // by direction and bit: the bit of the neighbour, or none

	kingLines []rules.Direction // directions in which kings move
	manBack   []rules.Direction // opposites of the directions in which White's men move
	limit     int               // rules.Variant.KingMoveLimit
}

// newBoard returns the board of v, or an error for rules that tables do not support.
func newBoard(v *rules.Variant) (*board, error) {
	g := v.Board
	b := &board{
		v:         v,
		squares:   g.Squares(),
		inRow:     g.Squares() / g.Rows,
		all:       setOf(g.All()),
		last:      g.Bit(1) + g.Bit(g.Rotate(1)),
		kingLines: v.MoveLines,
		limit:     v.KingMoveLimit,
	}
	if b.limit > 9 {
		return nil, fmt.Errorf("endgame tables of %s: a limit of %d king moves is beyond 9", v, b.limit)
	}
	for d := range b.step {
		for i := range b.step[d] {
			b.step[d][i] = none
		}
	}
	for s := rules.Square(1); int(s) <= b.squares; s++ {
		bit := uint8(g.Bit(s))
		b.bitOf[s-1] = bit
		if g.Bit(s)+g.Bit(g.Rotate(s)) != b.last || s > 1 && bit < b.bitOf[s-2] {
			return nil, fmt.Errorf("endgame tables of %s: the board's layout does not rotate", v)
		}
		if v.Promotes(rules.White, s) {
			b.crown = b.crown.or(at(bit))
		}
		if v.Promotes(rules.Black, s) {
			b.home = b.home.or(at(bit))
		}
		for _, d := range rules.EveryDirection {
			if t := g.Neighbour(s, d); t != rules.NoSquare {
				b.step[d][bit] = uint8(g.Bit(t))
			}
		}
	}
	if b.crown.len() != b.inRow || b.home.len() != b.inRow || g.Rows < 3 {
		return nil, fmt.Errorf("endgame tables of %s: the crown row is not a row of the board", v)
	}
	for _, d := range v.MoveLines {
		if !d.Backward(rules.White) {
			b.manBack = append(b.manBack, d.Opposite())
		}
	}
	return b, nil
}

// rotateSet returns s after half a turn of the board.
func (b *board) rotateSet(s set) set {
	lo, hi := bits.Reverse64(s.hi), bits.Reverse64(s.lo) // moves bit i to 127-i
	if shift := 127 - b.last; shift >= 64 {
		return set{hi >> (shift & 63), 0}
	} else {
		return set{lo>>(shift&63) | hi<<((64-shift)&63), hi >> (shift & 63)}
	}
}

func (b *board) rotateRun(r kingRun) kingRun {
	if r.n == 0 {
		return kingRun{}
	}
	return kingRun{r.n, uint8(b.last) - r.bit}
}

// rotate returns p from the other side's point of view: half a turn with the colours exchanged.
// White is still to move, so it is another position: the one in which the other side is to move.
func (b *board) rotate(p *placement) placement {
	return placement{
		b.rotateSet(p.theirMen), b.rotateSet(p.theirKings),
		b.rotateSet(p.men), b.rotateSet(p.kings),
		b.rotateRun(p.theirRun), b.rotateRun(p.run),
	}
}

// placementOf returns p with White to move: it rotates p if it is Black's turn.
func (b *board) placementOf(p *rules.Position) placement {
	w, bl, k := p.Sets()
	white, black, kings := setOf(w), setOf(bl), setOf(k)
	q := placement{men: white.andNot(kings), kings: white.and(kings)}
	q.theirMen, q.theirKings = black.andNot(kings), black.and(kings)
	if b.limit > 0 {
		q.run, q.theirRun = b.runOf(p, rules.White), b.runOf(p, rules.Black)
	}
	if p.Turn == rules.Black {
		return b.rotate(&q)
	}
	return q
}

func (b *board) runOf(p *rules.Position, c rules.Color) kingRun {
	n, s := p.KingMoves(c)
	if n == 0 {
		return kingRun{}
	}
	return kingRun{uint8(n), uint8(b.v.Board.Bit(s))}
}

// position returns p as a rules.Position with White to move and the draw counters at zero.
func (b *board) position(p *placement) rules.Position {
	q := rules.NewPosition(
		p.men.or(p.kings).rules(), p.theirMen.or(p.theirKings).rules(),
		p.kings.or(p.theirKings).rules(), rules.White)
	if p.run.n > 0 {
		q = q.WithKingMoves(rules.White, int(p.run.n), b.v.Board.SquareAt(int(p.run.bit)))
	}
	if p.theirRun.n > 0 {
		q = q.WithKingMoves(rules.Black, int(p.theirRun.n), b.v.Board.SquareAt(int(p.theirRun.bit)))
	}
	return q
}

// material returns the material of p.
func (p *placement) material() Material {
	return Material{p.men.len(), p.kings.len(), p.theirMen.len(), p.theirKings.len()}
}
