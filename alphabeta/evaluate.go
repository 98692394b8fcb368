package alphabeta

import (
	"math/bits"

	"damier/rules"
)

// weights are the numbers of an evaluation, in hundredths of a man. Pairs are for the opening, with all
// pieces on the board, and for the ending; in between they are mixed by the number of men.
type weights struct {
	man, king [2]int
	row       [2][10]int // a man by its row, its own back row first
	column    [2][5]int  // a man by its distance from the nearer edge
	guard     [5]int     // a man on its own back row while the other side has men, from the left as its side sees it
	supported [2]int     // each pair of own pieces next to each other on a diagonal
	mobility  [2]int     // each move of a man to an empty square
	balance   [2]int     // each man by which the two halves of the board differ, taken away
	through   [10]int    // a man that no enemy piece can stop ahead, by its row
	diagonal  int        // a king on the long diagonal
	reach     int        // each square a king can move to
	turn      int        // the right to move
}

// weights1 belong to alphabeta-1.
var weights1 = weights{
	man:  [2]int{100, 110},
	king: [2]int{280, 300},
	row: [2][10]int{
		{2, 0, 0, 1, 2, 3, 4, 4, 4, 0},
		{0, 2, 4, 7, 10, 14, 18, 24, 30, 0},
	},
	column:    [2][5]int{{-4, -1, 1, 2, 3}, {-2, 0, 1, 2, 2}},
	guard:     [5]int{2, 3, 6, 3, 2},
	supported: [2]int{1, 2},
	mobility:  [2]int{1, 2},
	balance:   [2]int{2, 2},
	through:   [10]int{0, 0, 0, 10, 20, 32, 46, 60, 80, 0},
	diagonal:  12,
	reach:     1,
	turn:      2,
}

// evaluator scores positions of one variant by hand-made rules. Its tables are made for the variant's board
// and indexed by bits of the board's layout.
type evaluator struct {
	w            weights
	stepL, stepR uint   // bits from a square to those diagonally below, to the left and to the right
	on           uint64 // the playing squares
	long         uint64 // the long diagonal
	left, right  uint64 // the halves of the board
	far          [2]uint64
	men          [2][8][256]int32 // by side and byte of a set of men: their worth, opening<<16 + ending
	ahead        [2][64]uint64    // by side and bit: the squares ahead from which a man can be stopped
	row          [2][64]uint8     // by side and bit, 0 the side's back row
	board        *rules.Geometry
	most         int // men on the board at the start
}

func newEvaluator(v *rules.Variant, w weights) *evaluator {
	b := v.Board
	e := &evaluator{w: w, board: b, most: v.Rows * b.Columns}
	e.stepL = uint(b.Bit(b.Neighbour(b.At(0, 3), rules.SouthWest)) - b.Bit(b.At(0, 3)))
	e.stepR = uint(b.Bit(b.Neighbour(b.At(0, 3), rules.SouthEast)) - b.Bit(b.At(0, 3)))
	worth := [2][64]int32{}
	for s := rules.Square(1); int(s) <= b.Squares(); s++ {
		bit, column := b.Bit(s), b.Column(s)
		e.on |= 1 << bit
		if b.Row(s)+column == b.Rows-1 {
			e.long |= 1 << bit
		}
		if column < b.Columns/2 {
			e.left |= 1 << bit
		} else {
			e.right |= 1 << bit
		}
		for c := range rules.Color(2) {
			row := b.Row(s)
			if c == rules.White {
				row = b.Rows - 1 - row
			}
			e.row[c][bit] = uint8(row)
			if row >= 3 {
				e.far[c] |= 1 << bit
			}
			edge := min(column, b.Columns-1-column)
			opening := w.man[0] + w.row[0][row] + w.column[0][edge]
			ending := w.man[1] + w.row[1][row] + w.column[1][edge]
			if row == 0 {
				i := column / 2
				if c == rules.Black {
					i = (b.Columns - 1 - column) / 2
				}
				opening += w.guard[i]
			}
			worth[c][bit] = int32(opening<<16 + ending)
			for t := rules.Square(1); int(t) <= b.Squares(); t++ {
				away := b.Row(t) - b.Row(s)
				if c == rules.White {
					away = -away
				}
				if side := b.Column(t) - column; away > 0 && max(side, -side) <= away {
					e.ahead[c][bit] |= 1 << b.Bit(t)
				}
			}
		}
	}
	for c := range e.men {
		for i := range e.men[c] {
			for set := range e.men[c][i] {
				for j := range 8 {
					if set>>j&1 != 0 {
						e.men[c][i][set] += worth[c][8*i+j]
					}
				}
			}
		}
	}
	return e
}

// score returns the worth of p for the side to move, which should have no capture to make.
func (e *evaluator) score(p rules.Position) Score {
	white, black := p.Pieces(rules.White).Lo, p.Pieces(rules.Black).Lo
	whiteKings, blackKings := p.Kings(rules.White).Lo, p.Kings(rules.Black).Lo
	empty := e.on &^ (white | black)
	whiteMen, blackMen := white&^whiteKings, black&^blackKings

	packed := int32(0)
	for i := range 8 {
		packed += e.men[0][i][whiteMen>>(8*i)&255] - e.men[1][i][blackMen>>(8*i)&255]
	}
	ending := int(int16(packed))
	opening := (int(packed) - ending) >> 16
	add := func(w [2]int, n int) {
		opening += w[0] * n
		ending += w[1] * n
	}
	add(e.w.supported, e.pairs(white)-e.pairs(black))
	add(e.w.mobility,
		bits.OnesCount64(whiteMen>>e.stepL&empty)+bits.OnesCount64(whiteMen>>e.stepR&empty)-
			bits.OnesCount64(blackMen<<e.stepL&empty)-bits.OnesCount64(blackMen<<e.stepR&empty))
	add(e.w.balance, e.lopsided(blackMen)-e.lopsided(whiteMen))

	n := bits.OnesCount64(whiteMen | blackMen)
	if whiteKings|blackKings != 0 {
		add(e.w.king, bits.OnesCount64(whiteKings)-bits.OnesCount64(blackKings))
		both := e.activity(whiteKings, empty) - e.activity(blackKings, empty)
		opening += both
		ending += both
	}
	score := (opening*n + ending*(e.most-n)) / e.most
	score += e.through(rules.White, whiteMen, black) - e.through(rules.Black, blackMen, white)
	score /= e.drawish(score, white, black, whiteKings, blackKings)
	if p.Turn == rules.Black {
		score = -score
	}
	return Score(score + e.w.turn)
}

// pairs counts neighbours on a diagonal.
func (e *evaluator) pairs(set uint64) int {
	return bits.OnesCount64(set&(set<<e.stepL)) + bits.OnesCount64(set&(set<<e.stepR))
}

// lopsided returns by how many men the halves of the board differ.
func (e *evaluator) lopsided(men uint64) int {
	d := bits.OnesCount64(men&e.left) - bits.OnesCount64(men&e.right)
	return max(d, -d)
}

// activity returns what kings are worth by the squares they see and hold.
func (e *evaluator) activity(kings, empty uint64) int {
	worth := e.w.diagonal * bits.OnesCount64(kings&e.long)
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

// through returns the worth of the men that no piece of the other side can stop ahead.
func (e *evaluator) through(c rules.Color, men, their uint64) int {
	worth := 0
	for m := men & e.far[c]; m != 0; m &= m - 1 {
		bit := bits.TrailingZeros64(m) & 63
		if e.ahead[c][bit]&their == 0 {
			worth += e.w.through[e.row[c][bit]]
		}
	}
	return worth
}

// drawish returns by how much a score must be divided because the side that leads can hardly win: the other
// one has a king, and the leader fewer than four pieces (three kings do not catch a lone king on 10x10),
// or the king stands on the long diagonal, from which kings cannot drive it.
func (e *evaluator) drawish(score int, white, black, whiteKings, blackKings uint64) int {
	leader, other, otherKings := white, black, blackKings
	if score < 0 {
		leader, other, otherKings = black, white, whiteKings
	}
	if otherKings == 0 {
		return 1
	}
	few, lead := bits.OnesCount64(leader), bits.OnesCount64(leader)-bits.OnesCount64(other)
	switch {
	case few <= 3:
		return 8
	case otherKings&e.long != 0 && leader&e.long == 0 && few <= 6:
		return 4
	case few <= 6 && lead <= 1:
		return 2
	}
	return 1
}
