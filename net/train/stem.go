package train

import (
	"damier/internal/simd"
	"damier/net"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// stem is the operation of the first layer: h = ReLU(weight * x + bias), with a bias for each square.
//
// Inputs: x, weight, bias.
type stem struct {
	op
	layer *layer
	batch *batch
	back  *stemGrad

	out     *tensor.Dense
	outData []float32

	// Of the run under way.
	x, bias []float32
	forward func(worker, block int)
}

func newStem(b *batch, l *net.Layer, bias tensor.Shape) *stem {
	s := &stem{batch: b, layer: newLayer(b, l, bias, 0)}
	s.out = newTensor(b.blocks, s.layer.outSize())
	s.outData = floats(s.out)
	s.op = op{l.Name, []int{2, 3, 2}, s.out.Shape()}
	s.forward = s.forwardBlock
	s.back = newStemGrad(s)
	return s
}

// Do computes h.
func (s *stem) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	s.x, s.bias = floats(in[0]), floats(in[2])
	s.layer.forward.Pack(floats(in[1]))
	s.batch.run(s.batch.blocks, s.forward)
	return s.out, nil
}

func (s *stem) forwardBlock(_, b int) {
	h := row(s.outData, s.batch.blocks, b)
	for i, bias := range s.bias {
		lanes := h[i*simd.Lanes:][:simd.Lanes]
		for j := range lanes {
			lanes[j] = bias
		}
	}
	s.layer.forward.Forward(h, row(s.x, s.batch.blocks, b), nil, h, true)
}

// DiffWRT says that there are gradients of the parameters, but not of x.
func (s *stem) DiffWRT(int) []bool { return []bool{false, true, true} }

// SymDiff adds the gradients' operations to the graph.
func (s *stem) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	node, err := gorgonia.ApplyOp(s.back, in[0], out, grad)
	if err != nil {
		return nil, err
	}
	return s.layer.gradients(gorgonia.Nodes{nil}, node)
}

// stemGrad is the backward pass of the stem. Its own result is nothing but a sign that the gradients are
// there.
//
// Inputs: x, h, gradient of h.
type stemGrad struct {
	op
	layer   *layer
	batch   *batch
	done    *tensor.Dense
	masked  [][]float32 // [worker] gradient of a block before the ReLU
	reduced *reduction

	x, h, dh []float32
	backward func(worker, part int)
}

func newStemGrad(s *stem) *stemGrad {
	g := &stemGrad{layer: s.layer, batch: s.batch, done: newTensor(1)}
	g.op = op{s.name + " gradient", []int{2, 2, 2}, g.done.Shape()}
	g.masked = s.batch.perWorker(s.layer.outSize())
	g.reduced = newReduction(s.layer)
	g.backward = g.backwardPart
	return g
}

// Do computes the gradients of the parameters.
func (g *stemGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	g.x, g.h, g.dh = floats(in[0]), floats(in[1]), floats(in[2])
	g.batch.run(g.batch.parts, g.backward)
	g.reduced.run(g.batch.workers, g.x)
	return g.done, nil
}

func (g *stemGrad) backwardPart(worker, part int) {
	n := g.batch.blocks
	masked := g.masked[worker]
	g.layer.reset(part)
	first, end := g.batch.part(part)
	for b := first; b < end; b++ {
		simd.ReLUMask(g.batch.level, masked, row(g.h, n, b), row(g.dh, n, b))
		g.layer.add(part, b, row(g.x, n, b), masked)
	}
}
