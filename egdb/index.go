package egdb

import (
	"fmt"
	"math/bits"

	"damier/rules"
)

// choose[k][n] is the binomial coefficient "n choose k".
var choose = func() (c [MaxPieces + 1][rules.MaxSquares + 1]uint64) {
	for n := range c[0] {
		c[0][n] = 1
	}
	for k := 1; k <= MaxPieces; k++ {
		for n := 1; n <= rules.MaxSquares; n++ {
			c[k][n] = c[k][n-1] + c[k-1][n-1]
		}
	}
	return c
}()

// Index numbers the positions of one material with White to move from 0 to Size()-1, without gaps.
//
// The number of a position is made of digits, the most significant first:
//
//	own men on the home row       their number k, and which squares of the row
//	own men elsewhere             which squares between the home row and the crown row
//	their men                     which squares not occupied by own men, outside our home row, which is their crown row
//	own kings                     which squares not occupied by men
//	their kings                   which of the remaining squares
//	own king moves                where they are limited: which king, and how many in a row
//	their king moves
//
// "Which squares" is the rank of a combination: the sum of choose(r, i) over the pieces i = 1, 2,
// ..., where r is the number of squares of the domain below that of the piece. The first digit is
// the first because the number of squares for their men depends on k.
type Index struct {
	board    *board
	material Material
	size     uint64
	blocks   int // number of possible values of k
	block    [MaxPieces + 1]block

	kingPlaces, theirKingPlaces uint64 // radices
	runs, theirRuns             uint64 // radices: 1 if king moves are not limited
}

// block holds the positions with k own men on the home row.
type block struct {
	base   uint64 // number of its first position
	middle uint64 // radix of own men elsewhere
	their  uint64 // radix of their men
}

// NewIndex returns the index of a material of v, or an error if tables do not support the variant
// or the material.
func NewIndex(v *rules.Variant, m Material) (*Index, error) {
	b, err := newBoard(v)
	if err != nil {
		return nil, err
	}
	return b.index(m)
}

func (b *board) index(m Material) (*Index, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	x := &Index{board: b, material: m, runs: 1, theirRuns: 1}
	men := m.Men + m.TheirMen
	x.kingPlaces = choose[m.Kings][b.squares-men]
	x.theirKingPlaces = choose[m.TheirKings][b.squares-men-m.Kings]
	if b.limit > 0 && m.Men > 0 {
		x.runs += uint64(m.Kings * b.limit)
	}
	if b.limit > 0 && m.TheirMen > 0 {
		x.theirRuns += uint64(m.TheirKings * b.limit)
	}
	inner := x.kingPlaces * x.theirKingPlaces * x.runs * x.theirRuns
	x.blocks = min(m.Men, b.inRow) + 1
	for k := range x.blocks {
		c := &x.block[k]
		c.base = x.size
		c.middle = choose[m.Men-k][b.squares-2*b.inRow]
		c.their = choose[m.TheirMen][b.squares-b.inRow-(m.Men-k)]
		hi, size := bits.Mul64(choose[k][b.inRow]*c.middle*c.their, inner)
		if hi != 0 || size > 1<<40 {
			return nil, fmt.Errorf("%s of %s has more than 2^40 positions", m, b.v)
		}
		x.size += size
	}
	return x, nil
}

// Size returns the number of positions.
func (x *Index) Size() uint64 { return x.size }

// Material returns the material whose positions are numbered.
func (x *Index) Material() Material { return x.material }

// Of returns the number of p. It returns false if p does not have this material for the side to
// move, has a man on its crown row, or has an impossible number of king moves.
func (x *Index) Of(p rules.Position) (uint64, bool) {
	q := x.board.placementOf(&p)
	if q.material() != x.material || !x.holds(&q) {
		return 0, false
	}
	return x.of(&q), true
}

// Position returns the position with number i, with White to move and the draw counters at zero; i
// must be less than Size().
func (x *Index) Position(i uint64) rules.Position {
	var p placement
	x.place(i, &p)
	return x.board.position(&p)
}

// holds reports whether a placement of the right material has a number.
func (x *Index) holds(p *placement) bool {
	if p.men.and(x.board.crown).any() || p.theirMen.and(x.board.home).any() {
		return false
	}
	limit := uint8(x.board.limit)
	return (p.run.n == 0 || x.runs > 1 && p.run.n <= limit && p.kings.and(at(p.run.bit)).any()) &&
		(p.theirRun.n == 0 ||
			x.theirRuns > 1 && p.theirRun.n <= limit && p.theirKings.and(at(p.theirRun.bit)).any())
}

// rank returns the rank of s among the subsets of the domain with the same number of squares.
func rank(s, domain set) uint64 {
	var n uint64
	k := 1
	for m := s.lo; m != 0; m &= m - 1 {
		n += choose[k][bits.OnesCount64(domain.lo&(m&-m-1))]
		k++
	}
	if s.hi != 0 {
		below := bits.OnesCount64(domain.lo)
		for m := s.hi; m != 0; m &= m - 1 {
			n += choose[k][below+bits.OnesCount64(domain.hi&(m&-m-1))]
			k++
		}
	}
	return n
}

// menOf returns the digits of the men as one number, and the first number of their block.
func (x *Index) menOf(men, theirMen set) (n, base uint64) {
	if x.material.Men == 0 && x.material.TheirMen == 0 {
		return 0, 0
	}
	b := x.board
	home := men.and(b.home)
	c := &x.block[home.len()]
	n = rank(home, b.home)*c.middle + rank(men.andNot(b.home), b.all.andNot(b.home).andNot(b.crown))
	return n*c.their + rank(theirMen, b.all.andNot(b.home).andNot(men)), c.base
}

// runDigit returns the digit of king moves in a row.
func (x *Index) runDigit(r kingRun, kings set) uint64 {
	if r.n == 0 {
		return 0
	}
	below := 0
	for ; kings.lowest() != r.bit; kings = kings.rest() {
		below++
	}
	return uint64(1 + below*x.board.limit + int(r.n) - 1)
}

// of returns the number of p, which must have one.
func (x *Index) of(p *placement) uint64 {
	n, base := x.menOf(p.men, p.theirMen)
	free := x.board.all.andNot(p.men).andNot(p.theirMen)
	n = n*x.kingPlaces + rank(p.kings, free)
	n = n*x.theirKingPlaces + rank(p.theirKings, free.andNot(p.kings))
	if x.runs > 1 {
		n = n*x.runs + x.runDigit(p.run, p.kings)
	}
	if x.theirRuns > 1 {
		n = n*x.theirRuns + x.runDigit(p.theirRun, p.theirKings)
	}
	return base + n
}

// taken are the occupied squares, as numbers from 0, ascending.
type taken struct {
	square [MaxPieces]uint8
	n      int
}

// choice returns the set of k squares with the given rank, among the squares of the board from
// first on that are not taken. It adds them to t.
func (x *Index) choice(rank uint64, k, first int, t *taken) (dst set) {
	var chosen [MaxPieces]uint8
	for i := k; i >= 1; i-- {
		r := int(rank)
		if i > 1 { // find the largest r with choose(r, i) <= rank
			row := &choose[i]
			lo, hi := i-1, x.board.squares
			for lo+1 < hi {
				if mid := (lo + hi) / 2; row[mid] <= rank {
					lo = mid
				} else {
					hi = mid
				}
			}
			r = lo
			rank -= row[r]
		}
		s := first + r
		for _, o := range t.square[:t.n] {
			if int(o) >= first && int(o) <= s {
				s++
			}
		}
		chosen[i-1] = uint8(s)
		dst = dst.or(at(x.board.bitOf[s]))
	}
	for _, s := range chosen[:k] {
		j := t.n
		for ; j > 0 && t.square[j-1] > s; j-- {
			t.square[j] = t.square[j-1]
		}
		t.square[j] = s
		t.n++
	}
	return dst
}

// run returns the king moves for a digit.
func (x *Index) run(digit uint64, kings set) kingRun {
	if digit == 0 {
		return kingRun{}
	}
	king, n := int(digit-1)/x.board.limit, int(digit-1)%x.board.limit+1
	for range king {
		kings = kings.rest()
	}
	return kingRun{uint8(n), kings.lowest()}
}

// place sets p to the placement with the number i.
func (x *Index) place(i uint64, p *placement) {
	m := &x.material
	k := x.blocks - 1
	for x.block[k].base > i {
		k--
	}
	c := &x.block[k]
	i -= c.base
	digit := func(radix uint64) uint64 {
		if radix == 1 {
			return 0
		}
		d := i % radix
		i /= radix
		return d
	}
	theirRun, run := digit(x.theirRuns), digit(x.runs)
	theirKings, kings := digit(x.theirKingPlaces), digit(x.kingPlaces)
	theirMen, middle := digit(c.their), digit(c.middle)

	var t taken
	b := x.board
	p.men = set{}
	if m.Men > 0 {
		home := x.choice(i, k, b.squares-b.inRow, &t)
		p.men = home.or(x.choice(middle, m.Men-k, b.inRow, &t))
	}
	p.theirMen = x.choice(theirMen, m.TheirMen, 0, &t)
	p.kings = x.choice(kings, m.Kings, 0, &t)
	p.theirKings = x.choice(theirKings, m.TheirKings, 0, &t)
	p.run, p.theirRun = x.run(run, p.kings), x.run(theirRun, p.theirKings)
}
