package nnue

import (
	"math"
	"math/bits"
	"slices"

	"damier/alphabeta"
	"damier/internal/simd"
	"damier/rules"
)

// Points is the score, in the points of package alphabeta, of a logit of 1.
const Points = 128

// unit is how finely an [Evaluator] knows the weights of outputs: steps in a logit of 1.
const unit = 1024

// mostOutput bounds a weight of an output, in logits, and mostScore a score: below any mate's.
const (
	mostOutput = 8
	mostScore  = 20000
)

// Evaluator computes a model in integers. It is safe for concurrent use.
type Evaluator struct {
	net   *simd.SparseNet
	bias  [Outputs]int32
	rows  [2][kinds][setBits]uint16 // by the side to move, the kind of piece and the bit of a set
	model *Model                    // as it was then
}

// setBits is how many bits a rules.Set has.
const setBits = 64 + 16

// round returns x in units of 1/unit, within ±most.
func round(x, unit, most float32) int16 {
	return int16(math.Round(float64(min(max(x, -most), most) * unit)))
}

// Evaluator returns an evaluator of the model as it is now, for the best instructions this machine has.
func (m *Model) Evaluator() *Evaluator { return m.evaluator(simd.Best()) }

func (m *Model) evaluator(level simd.Level) *Evaluator {
	w, n := m.Width, m.squares
	model := *m
	model.Hidden, model.Output, model.Bias = slices.Clone(m.Hidden), slices.Clone(m.Output), slices.Clone(m.Bias)
	e := &Evaluator{model: &model}
	// Both views of a piece lie beside each other, in one row.
	rows := make([]int16, m.inputs()*2*w)
	bias := make([]int16, 2*w)
	hidden := func(i int, own, other []int16) {
		for j, x := range m.Hidden[i*w : (i+1)*w] {
			q := round(x, simd.SparseOne, m.bound())
			own[j], other[j] = q, q
		}
	}
	both := make([]int16, w) // a view that is written elsewhere
	for kind := range kinds {
		for s := range n {
			i, j := kind*n+s, (kind^1)*n+n-1-s
			hidden(i, rows[i*2*w:i*2*w+w], both)
			hidden(j, both, rows[i*2*w+w:(i+1)*2*w])
		}
	}
	hidden(m.inputs(), bias[:w], bias[w:])
	weights := make([]int16, len(m.Output))
	for i, x := range m.Output {
		weights[i] = round(x, unit, mostOutput)
	}
	for i, x := range m.Bias {
		e.bias[i] = int32(math.Round(float64(min(max(x, -100), 100)) * unit * simd.SparseSquare))
	}
	e.net = simd.NewSparseNet(level, 2*w, m.most, rows, bias, weights)
	board := m.Variant.Board
	for s := range n {
		bit := board.Bit(rules.Square(s + 1))
		for kind := range kinds {
			e.rows[rules.White][kind][bit] = uint16(kind*n + s)
			e.rows[rules.Black][kind][bit] = uint16(kind*n + n - 1 - s)
		}
	}
	return e
}

// Score implements [alphabeta.Evaluator].
func (e *Evaluator) Score(p rules.Position) alphabeta.Score {
	var room [rules.MaxSquares]uint16
	inputs := room[:0]
	c := p.Turn
	rows := &e.rows[c&1]
	for kind, set := range [kinds]rules.Set{p.Men(c), p.Men(c.Opponent()), p.Kings(c), p.Kings(c.Opponent())} {
		inputs = appendRows(inputs, &rows[kind], set)
	}
	if len(inputs) > e.model.most { // a position set up by hand, whose sums might not fit
		return limit(int(math.Round(float64(e.model.Logit(p)) * Points)))
	}
	o := e.model.output(len(inputs))
	sum := (int(e.net.Output(inputs, o)) + int(e.bias[o])) / (unit * simd.SparseSquare / Points)
	return limit(sum)
}

func limit(score int) alphabeta.Score { return alphabeta.Score(min(max(score, -mostScore), mostScore)) }

// appendRows appends the row of every bit of the set.
func appendRows(dst []uint16, rows *[setBits]uint16, set rules.Set) []uint16 {
	for b := set.Lo; b != 0; b &= b - 1 {
		dst = append(dst, rows[bits.TrailingZeros64(b)])
	}
	for b := set.Hi; b != 0; b &= b - 1 {
		dst = append(dst, rows[64+bits.TrailingZeros16(b)&15])
	}
	return dst
}
