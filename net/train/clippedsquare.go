package train

import (
	"damier/internal/simd"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// clippedSquare is the activation of a sparse network: each number is clipped to [0,1] and
// squared.
//
// Input: the sums of rowSum. Result: activations of the same shape.
type clippedSquare struct {
	op
	batch *batch
	lists []indices
	back  *clippedSquareGrad

	out         *tensor.Dense
	outData     []float32
	sums        []float32
	perPosition int // activations of a position
}

func newClippedSquare(b *batch, lists []indices, width int) *clippedSquare {
	o := &clippedSquare{batch: b, lists: lists, perPosition: 2 * width}
	o.out = newTensor(b.parts, partSize*2*width)
	o.outData = floats(o.out)
	o.op = op{"clipped square", []int{2}, o.out.Shape()}
	back := newTensor(b.parts, partSize*2*width)
	o.back = &clippedSquareGrad{op: op{o.name + " gradient", []int{2, 2, 2}, back.Shape()}, of: o, out: back, outData: floats(back)}
	return o
}

// Do records the task that computes the activations.
func (o *clippedSquare) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	sums := floats(in[0])
	o.batch.recording.add(task{name: o.name, begin: func() { o.sums = sums }, pass: o.forward})
	return o.out, nil
}

func (o *clippedSquare) forward(part int) {
	n := o.lists[part].count * o.perPosition
	simd.ClippedSquare(o.batch.level, o.batch.slot(o.outData, part)[:n], o.batch.slot(o.sums, part)[:n])
}

// DiffWRT says that the sums have a gradient.
func (o *clippedSquare) DiffWRT(int) []bool { return []bool{true} }

// SymDiff adds the gradient's operation to the graph.
func (o *clippedSquare) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	sums, err := gorgonia.ApplyOp(o.back, in[0], out, grad)
	return gorgonia.Nodes{sums}, err
}

// clippedSquareGrad is the backward pass of clippedSquare.
//
// Inputs: sums, activations, gradient of the activations. Result: the gradient of the sums.
type clippedSquareGrad struct {
	op
	of       *clippedSquare
	out      *tensor.Dense
	outData  []float32
	sums, dy []float32
}

// Do records the task that computes the gradient.
func (g *clippedSquareGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	g.sums, g.dy = floats(in[0]), floats(in[2])
	g.of.batch.recording.add(task{name: g.name, pass: g.backward})
	return g.out, nil
}

func (g *clippedSquareGrad) backward(part int) {
	batch, n := g.of.batch, g.of.lists[part].count*g.of.perPosition
	simd.ClippedSquareGrad(batch.level, batch.slot(g.outData, part)[:n], batch.slot(g.sums, part)[:n], batch.slot(g.dy, part)[:n], 1)
}
