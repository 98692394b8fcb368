package alphabeta

import (
	"math/bits"

	"damier/rules"
)

// diagonal is the scorer for diagonal boards that fit one word, 8x8 and 10x10. It gives the scores
// of [evaluator], but works on bitboards. Its tables are indexed by bits of the board's layout.
type diagonal struct {
	w            weights
	flies        bool   // kings fly
	stepL, stepR uint   // steps in bits to the squares below left and below right
	on           uint64 // the playing squares
	long, inner  uint64
	left, right  uint64 // the halves of the board
	far          [2]uint64
	men          [2][8][256]int32 // by side and byte of a set of men: the sum of their values, opening<<16 + ending
	ahead        [2][64]uint64    // by side and bit: the squares ahead from which a man can be stopped
	row          [2][64]uint8     // by side and bit, 0 the side's back row
	most         int              // men on the board at the start
}

// newDiagonal returns the fast scorer for the board of e, nil if it does not support that board.
func newDiagonal(e *evaluator) *diagonal {
	b := e.board
	if b.All().Hi != 0 || b.Corner == rules.EverySquare {
		return nil
	}
	d := &diagonal{
		w: e.w, flies: e.v.KingFlies, on: b.All().Lo, long: e.long.Lo, inner: e.inner.Lo,
		left: e.left.Lo, right: b.All().AndNot(e.left).Lo, most: e.most,
	}
	second := rules.Square(2) // on every board it has neighbours on both sides below
	d.stepL = uint(b.Bit(b.Neighbour(second, rules.SouthWest)) - b.Bit(second))
	d.stepR = uint(b.Bit(b.Neighbour(second, rules.SouthEast)) - b.Bit(second))
	worth := [2][64]int32{}
	for s := rules.Square(1); int(s) <= b.Squares(); s++ {
		bit := b.Bit(s)
		for c := range rules.Color(2) {
			row := e.row[c][s]
			d.row[c][bit] = row
			if e.w.through[row] != 0 {
				d.far[c] |= 1 << bit
			}
			d.ahead[c][bit] = e.ahead[c][s].Lo
			worth[c][bit] = int32(e.worth[c][s].opening<<16 + e.worth[c][s].ending)
		}
	}
	for c := range d.men {
		for i := range d.men[c] {
			for set := range d.men[c][i] {
				for j := range 8 {
					if set>>j&1 != 0 {
						d.men[c][i][set] += worth[c][8*i+j]
					}
				}
			}
		}
	}
	return d
}

func (e *diagonal) score(p rules.Position) Score {
	white, black := p.Pieces(rules.White).Lo, p.Pieces(rules.Black).Lo
	whiteKings, blackKings := p.Kings(rules.White).Lo, p.Kings(rules.Black).Lo
	empty := e.on &^ (white | black)
	whiteMen, blackMen := white&^whiteKings, black&^blackKings

	packed := int32(0)
	for i := range 8 {
		packed += e.men[0][i][whiteMen>>(8*i)&255] - e.men[1][i][blackMen>>(8*i)&255]
	}
	ending := int(int16(packed))
	sum := pair{(int(packed) - ending) >> 16, ending}
	sum.add(e.w.supported, e.pairs(white)-e.pairs(black))
	sum.add(e.w.mobility,
		bits.OnesCount64(whiteMen>>e.stepL&empty)+bits.OnesCount64(whiteMen>>e.stepR&empty)-
			bits.OnesCount64(blackMen<<e.stepL&empty)-bits.OnesCount64(blackMen<<e.stepR&empty))
	sum.add(e.w.balance, e.lopsided(blackMen)-e.lopsided(whiteMen))

	n := bits.OnesCount64(whiteMen | blackMen)
	if whiteKings|blackKings != 0 {
		sum.add(e.w.king, bits.OnesCount64(whiteKings)-bits.OnesCount64(blackKings))
		both := e.activity(whiteKings, empty) - e.activity(blackKings, empty)
		sum.opening += both
		sum.ending += both
	}
	score := (sum.opening*n + sum.ending*(e.most-n)) / e.most
	score += e.through(rules.White, whiteMen, black) - e.through(rules.Black, blackMen, white)
	score /= e.drawish(score, white, black, whiteKings, blackKings)
	if p.Turn == rules.Black {
		score = -score
	}
	return Score(score + e.w.turn)
}

// pairs returns the number of pairs of neighbours on a diagonal in set.
func (e *diagonal) pairs(set uint64) int {
	return bits.OnesCount64(set&(set<<e.stepL)) + bits.OnesCount64(set&(set<<e.stepR))
}

// lopsided returns the difference in the number of men between the halves of the board.
func (e *diagonal) lopsided(men uint64) int {
	d := bits.OnesCount64(men&e.left) - bits.OnesCount64(men&e.right)
	return max(d, -d)
}

// activity returns the value of kings by the squares they stand on and reach.
func (e *diagonal) activity(kings, empty uint64) int {
	worth := e.w.diagonal*bits.OnesCount64(kings&e.long) + e.w.centre*bits.OnesCount64(kings&e.inner)
	if !e.flies {
		for k := kings; k != 0; k &= k - 1 {
			at := k & -k
			worth += e.w.reach * bits.OnesCount64((at<<e.stepL|at<<e.stepR|at>>e.stepL|at>>e.stepR)&empty)
		}
		return worth
	}
	for k := kings; k != 0; k &= k - 1 {
		at := k & -k
		for _, step := range [2]uint{e.stepL, e.stepR} {
			for s := at << step & empty; s != 0; s = s << step & empty {
				worth += e.w.reach
			}
			for s := at >> step & empty; s != 0; s = s >> step & empty {
				worth += e.w.reach
			}
		}
	}
	return worth
}

// through returns the value of the men that no piece of the other side can stop.
func (e *diagonal) through(c rules.Color, men, their uint64) int {
	worth := 0
	for m := men & e.far[c]; m != 0; m &= m - 1 {
		bit := bits.TrailingZeros64(m) & 63
		if e.ahead[c][bit]&their == 0 {
			worth += e.w.through[e.row[c][bit]]
		}
	}
	return worth
}

// drawish returns the divisor of a score in an ending that is hard to win.
func (e *diagonal) drawish(score int, white, black, whiteKings, blackKings uint64) int {
	leader, other, otherKings := white, black, blackKings
	if score < 0 {
		leader, other, otherKings = black, white, whiteKings
	}
	if otherKings == 0 {
		return 1
	}
	few := bits.OnesCount64(leader)
	return e.w.drawish(few, few-bits.OnesCount64(other), otherKings&e.long != 0 && leader&e.long == 0)
}
