package nnue

import (
	"math"
	"math/rand/v2"
	"slices"

	"damier/internal/simd"
	"damier/rules"
)

// Width is the default width of the hidden layer, for each of the two views.
const Width = 128

// Outputs is the number of outputs: one for each quarter of the pieces that a game begins with.
const Outputs = 4

// Model is a network for one variant.
type Model struct {
	Variant    *rules.Variant
	Width      int       // units of the hidden layer in one view, a multiple of 32
	Hidden     []float32 // [kinds][squares][Width] weights of the inputs, then [Width] biases
	Output     []float32 // [Outputs][2][Width] weights of the own and of the other view, in logits
	Bias       []float32 // [Outputs], in logits
	Run        string    // name of the run that trained it
	Generation int
	Games      int64 // number of self-play games it has learnt from

	squares, most int // most is the number of pieces at the start
}

// kinds of pieces on a square: own men, other men, own kings, other kings.
const kinds = 4

// New returns a model with random weights. Its scores for all positions are within a few points of
// each other.
func New(v *rules.Variant, width int, seed uint64) *Model {
	m := empty(v, width)
	rng := rand.New(rand.NewPCG(seed, 0x6e6e7565))
	for i := range m.Hidden[:m.inputs()*width] {
		m.Hidden[i] = float32(rng.NormFloat64() * 0.1)
	}
	for i := m.inputs() * width; i < len(m.Hidden); i++ {
		m.Hidden[i] = 0.3 // puts most activations within (0,1), where the gradient is not zero
	}
	for i := range m.Output {
		m.Output[i] = float32(rng.NormFloat64() * 0.4 / math.Sqrt(float64(width)))
	}
	return m
}

// empty returns a model with all weights zero.
func empty(v *rules.Variant, width int) *Model {
	start := v.Start()
	m := &Model{Variant: v, Width: width, squares: v.Board.Squares(), most: start.Pieces(rules.White).Len() + start.Pieces(rules.Black).Len()}
	m.Hidden = make([]float32, (m.inputs()+1)*width)
	m.Output = make([]float32, Outputs*2*width)
	m.Bias = make([]float32, Outputs)
	return m
}

// inputs returns the number of inputs.
func (m *Model) inputs() int { return kinds * m.squares }

// bound returns the greatest magnitude of a weight or bias of the hidden layer whose sums fit an
// [Evaluator].
func (m *Model) bound() float32 {
	return float32(simd.MostSparse(m.most)) / simd.SparseOne
}

// outputBound returns the greatest magnitude of an output weight, in logits: mostOutput, or with
// more than 128 units what still fits the sums of an [Evaluator].
func (m *Model) outputBound() float32 {
	return min(mostOutput, float32(simd.MostOutput/(2*m.Width))/unit)
}

// output returns the index of the output for a position with the given number of pieces.
func (m *Model) output(pieces int) int { return min(pieces*Outputs/m.most, Outputs-1) }

// Bounds returns the greatest magnitudes of a weight or bias of the hidden layer, and of an output
// weight, that fit an [Evaluator].
func (m *Model) Bounds() (hidden, output float32) { return m.bound(), m.outputBound() }

// Clone returns a copy that shares no weights with m.
func (m *Model) Clone() *Model {
	c := *m
	c.Hidden, c.Output, c.Bias = slices.Clone(m.Hidden), slices.Clone(m.Output), slices.Clone(m.Bias)
	return &c
}

// AppendInputs appends to own the inputs of p that are one, from the point of view of the side to
// move, and to other those from the point of view of the other side, in the same order. output is
// the index of the output for p, in [0, [Outputs]).
func (m *Model) AppendInputs(own, other []int32, p rules.Position) (ownInputs, otherInputs []int32, output int) {
	n := len(own)
	own, other = m.appendInputs(own, other, p, p.Turn)
	return own, other, m.output(len(own) - n)
}

// appendInputs appends the inputs that are one, from the point of view of c and of the other side,
// in the same order.
func (m *Model) appendInputs(own, other []int32, p rules.Position, c rules.Color) ([]int32, []int32) {
	n, board := m.squares, m.Variant.Board
	for kind, set := range [kinds]rules.Set{p.Men(c), p.Men(c.Opponent()), p.Kings(c), p.Kings(c.Opponent())} {
		for !set.Empty() {
			s := int(board.Pop(&set)) - 1
			if c == rules.Black {
				s = n - 1 - s
			}
			own = append(own, int32(kind*n+s))
			other = append(other, int32((kind^1)*n+n-1-s))
		}
	}
	return own, other
}

// pass is the memory of one pass of a position through a model.
type pass struct {
	inputs  [2][]int32   // of the own and the other view
	sums    [2][]float32 // [Width] of the hidden layer, before clipping
	squares []float32    // [2][Width] activations
	output  int
}

// forward computes the logit of p.
func (m *Model) forward(level simd.Level, x *pass, p rules.Position) float32 {
	w := m.Width
	if len(x.squares) != 2*w {
		x.sums[0], x.sums[1], x.squares = make([]float32, w), make([]float32, w), make([]float32, 2*w)
	}
	x.inputs[0], x.inputs[1] = m.appendInputs(x.inputs[0][:0], x.inputs[1][:0], p, p.Turn)
	x.output = m.output(len(x.inputs[0]))
	for view, sums := range x.sums {
		copy(sums, m.Hidden[m.inputs()*w:])
		for _, i := range x.inputs[view] {
			simd.Axpy(level, sums, 1, m.Hidden[int(i)*w:int(i+1)*w])
		}
		simd.ClippedSquare(level, x.squares[view*w:(view+1)*w], sums)
	}
	return m.Bias[x.output] + simd.Dot(level, x.squares, m.Output[x.output*2*w:(x.output+1)*2*w])
}

// Logit returns the logit of the expected score of the side to move, the slow twin of
// [Evaluator.Score].
func (m *Model) Logit(p rules.Position) float32 {
	var x pass
	return m.forward(simd.Generic, &x, p)
}
