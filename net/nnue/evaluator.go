package nnue

import (
	"math"
	"math/bits"
	"sync"

	"damier/alphabeta"
	"damier/internal/simd"
	"damier/rules"
)

// Points is the score of a logit of 1, in the points of package alphabeta.
const Points = 128

// unit is the number of integer steps in a logit of 1, for the output weights of an [Evaluator].
const unit = 1024

// mostOutput is the largest output weight, in logits. mostScore is the largest score, below any
// mate score.
const (
	mostOutput = 8
	mostScore  = 20000
)

// Evaluator computes a model in integers. It is safe for concurrent use; a [Cursor] is faster for
// one goroutine.
type Evaluator struct {
	net     *simd.SparseNet
	bias    [Outputs]int32
	rows    [kinds][setBits]uint16      // row of the hidden layer, by kind of piece as White sees it and bit of a set
	outputs [rules.MaxSquares + 1]uint8 // output by number of pieces
	model   *Model                      // the model when the evaluator was made
	cursors sync.Pool
}

// setBits is the number of bits of a rules.Set.
const setBits = 64 + 16

// round returns x, limited to ±most, in steps of 1/unit.
func round(x, unit, most float32) int16 {
	return int16(math.Round(float64(min(max(x, -most), most) * unit)))
}

// Evaluator returns an evaluator of the present weights of m, with the best instructions of this
// machine.
func (m *Model) Evaluator() *Evaluator { return m.evaluator(simd.Best()) }

func (m *Model) evaluator(level simd.Level) *Evaluator {
	w, n := m.Width, m.squares
	e := &Evaluator{model: m.Clone()}
	// A row holds both views of a piece, first White's, then Black's.
	rows := make([]int16, m.inputs()*2*w)
	bias := make([]int16, 2*w)
	hidden := func(i int, white, black []int16) {
		for j, x := range m.Hidden[i*w : (i+1)*w] {
			q := round(x, simd.SparseOne, m.bound())
			white[j], black[j] = q, q
		}
	}
	elsewhere := make([]int16, w) // receives the view that is not needed
	for kind := range kinds {
		for s := range n {
			i, j := kind*n+s, (kind^1)*n+n-1-s
			hidden(i, rows[i*2*w:i*2*w+w], elsewhere)
			hidden(j, elsewhere, rows[i*2*w+w:(i+1)*2*w])
		}
	}
	hidden(m.inputs(), bias[:w], bias[w:])
	// Every output is stored twice: for White to move, with White's view first, and for Black to
	// move.
	weights := make([]int16, 2*len(m.Output))
	for i, x := range m.Output {
		o, view, unitOf := i/(2*w), i/w%2, i%w
		q := round(x, unit, m.outputBound())
		weights[(2*o*2+view)*w+unitOf] = q
		weights[((2*o+1)*2+1-view)*w+unitOf] = q
	}
	for i, x := range m.Bias {
		e.bias[i] = int32(math.Round(float64(min(max(x, -100), 100)) * unit * simd.SparseSquare))
	}
	e.net = simd.NewSparseNet(level, 2*w, m.most, rows, bias, weights)
	board := m.Variant.Board
	for s := range n {
		bit := board.Bit(rules.Square(s + 1))
		for kind := range kinds {
			e.rows[kind][bit] = uint16(kind*n + s)
		}
	}
	for count := range e.outputs {
		e.outputs[count] = uint8(m.output(count))
	}
	e.cursors.New = func() any { return e.Cursor() }
	return e
}

// Score implements [alphabeta.Evaluator].
func (e *Evaluator) Score(p rules.Position) alphabeta.Score {
	c := e.cursors.Get().(*Cursor)
	defer e.cursors.Put(c)
	return c.Score(p)
}

// Fork implements [alphabeta.Forker]; it returns a [Cursor].
func (e *Evaluator) Fork() alphabeta.Evaluator { return e.Cursor() }

// Cursor scores positions one after another. It updates the sums of the hidden layer from the last
// position, so it is faster the fewer pieces have changed. It gives the scores of its Evaluator.
// Only one goroutine may use it.
type Cursor struct {
	e      *Evaluator
	sums   *simd.SparseSums
	pieces pieces // the pieces whose sums these are
	count  int    // number of pieces, set by move

	crowded bool // the position given to move has more pieces than a game begins with

	gone, come [rules.MaxSquares + 1]uint16 // scratch: the rows to subtract and to add, and one more
}

// pieces holds the sets of the men of White, of Black, the kings of White, of Black: the lower 64
// bits of each in lo, and the upper 16 bits of all side by side in hi.
type pieces struct {
	lo [kinds]uint64
	hi uint64
}

func piecesOf(p *rules.Position) (x pieces) {
	white, black, kings := p.Sets()
	x.lo[0], x.lo[1], x.lo[2], x.lo[3] = white.Lo&^kings.Lo, black.Lo&^kings.Lo, white.Lo&kings.Lo, black.Lo&kings.Lo
	x.hi = uint64(white.Hi&^kings.Hi) | uint64(black.Hi&^kings.Hi)<<16 | uint64(white.Hi&kings.Hi)<<32 | uint64(black.Hi&kings.Hi)<<48
	return x
}

// Cursor returns a new cursor.
func (e *Evaluator) Cursor() *Cursor { return &Cursor{e: e, sums: e.net.Sums()} }

// Score implements [alphabeta.Evaluator].
func (c *Cursor) Score(p rules.Position) alphabeta.Score { return c.ScoreAt(&p) }

// ScoreAt implements [alphabeta.PointEvaluator].
func (c *Cursor) ScoreAt(p *rules.Position) alphabeta.Score {
	is := piecesOf(p)
	count := piecesOn(p)
	if count > c.e.model.most { // the position was set up by hand, and its sums might overflow
		return c.e.slow(*p)
	}
	gone, come := c.changes(&is)
	if len(gone)+len(come) > count {
		c.clear()
		gone, come = c.changes(&is)
	}
	c.pieces = is
	o := int(c.e.outputs[count])
	return c.e.points(c.sums.Output(gone, come, 2*o+int(p.Turn&1)), o)
}

// move updates the sums to p, for peek and swaps. If p has more pieces than a game begins with,
// the sums might overflow; move then only sets c.crowded.
func (c *Cursor) move(p *rules.Position) {
	is := piecesOf(p)
	count := piecesOn(p)
	if c.crowded = count > c.e.model.most; c.crowded {
		return
	}
	gone, come := c.changes(&is)
	if len(gone)+len(come) > count {
		c.clear()
		gone, come = c.changes(&is)
	}
	c.pieces, c.count = is, count
	c.sums.Change(gone, come)
}

// peek returns the score of p without changing the sums, which must be those of the last call of
// move.
func (c *Cursor) peek(p *rules.Position) alphabeta.Score {
	if c.crowded {
		return c.e.slow(*p)
	}
	count := piecesOn(p)
	is := piecesOf(p)
	gone, come := c.changes(&is)
	o := int(c.e.outputs[count])
	return c.e.points(c.sums.Peek(gone, come, 2*o+int(p.Turn&1)), o)
}

// swap returns the rows to subtract and to add for the quiet move m, which leads from p to q.
func (c *Cursor) swap(p, q *rules.Position, m rules.Move) (gone, come uint16) {
	b := c.e.model.Variant.Board
	from, to := b.Bit(m.From), b.Bit(m.To)
	_, _, was := p.Sets()
	_, _, is := q.Sets()
	kind := int(p.Turn & 1)
	return c.e.rows[kind+2*bitOf(was, from)][from], c.e.rows[kind+2*bitOf(is, to)][to]
}

// bitOf returns bit i of a set.
func bitOf(s rules.Set, i int) int {
	if i < 64 {
		return int(s.Lo >> i & 1)
	}
	return int(s.Hi >> (i - 64) & 1)
}

// swaps sets dst to the scores of positions that differ from that of the sums by one row
// subtracted and one added; rows holds these pairs, and turn is the side to move there.
func (c *Cursor) swaps(dst []int32, rows []uint16, turn rules.Color) {
	o := int(c.e.outputs[c.count])
	c.sums.Swaps(dst, rows, 2*o+int(turn&1))
	for i, x := range dst {
		dst[i] = int32(c.e.points(x, o))
	}
}

// clear sets the sums to those of an empty board.
func (c *Cursor) clear() {
	c.sums.Clear()
	c.pieces = pieces{}
}

// piecesOn returns the number of pieces of p.
func piecesOn(p *rules.Position) int {
	white, black, _ := p.Sets()
	return bits.OnesCount64(white.Lo|black.Lo) + bits.OnesCount16(white.Hi|black.Hi)
}

// changes returns the rows to subtract and to add to update the sums to is. The next call reuses
// their memory.
//
// It writes every row to both lists and counts it in one of them, because whether a piece goes or
// comes cannot be predicted.
func (c *Cursor) changes(is *pieces) (goes, comes []uint16) {
	was := &c.pieces
	gone, come := 0, 0
	for kind := range kinds {
		rows, x := &c.e.rows[kind], was.lo[kind]
		for b := x ^ is.lo[kind]; b != 0; b &= b - 1 {
			bit := bits.TrailingZeros64(b) & 63
			row, goes := rows[bit], int(x>>bit&1)
			c.gone[gone], c.come[come] = row, row
			gone += goes
			come += 1 - goes
		}
	}
	for b := was.hi ^ is.hi; b != 0; b &= b - 1 {
		bit := bits.TrailingZeros64(b) & 63
		row, goes := c.e.high(bit), int(was.hi>>bit&1)
		c.gone[gone], c.come[come] = row, row
		gone += goes
		come += 1 - goes
	}
	return c.gone[:gone], c.come[:come]
}

// points returns the score for the weighted sum of output o.
func (e *Evaluator) points(sum int32, o int) alphabeta.Score {
	return limit((int(sum) + int(e.bias[o])) / (unit * simd.SparseSquare / Points))
}

// slow returns the score of a position with more pieces than a game begins with.
func (e *Evaluator) slow(p rules.Position) alphabeta.Score {
	return limit(int(math.Round(float64(e.model.Logit(p)) * Points)))
}

// high returns the row of a bit of pieces.hi.
func (e *Evaluator) high(bit int) uint16 { return e.rows[bit/16][64+bit%16] }

func limit(score int) alphabeta.Score { return alphabeta.Score(min(max(score, -mostScore), mostScore)) }
