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

	x, bias []float32 // of the run under way
}

func newStem(b *batch, l *net.Layer, bias tensor.Shape) *stem {
	s := &stem{batch: b, layer: newLayer(b, l, bias, 0)}
	s.out = newTensor(b.slots, s.layer.outSize())
	s.outData = floats(s.out)
	s.op = op{l.Name, []int{2, 3, 2}, s.out.Shape()}
	s.back = newStemGrad(s)
	return s
}

// Do records the task that computes h.
func (s *stem) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	x, weight, bias := floats(in[0]), floats(in[1]), floats(in[2])
	s.batch.recording.add(task{
		name:  s.name,
		begin: func() { s.x, s.bias = x, bias },
		packs: []func(){func() { s.layer.forward.Pack(weight) }},
		pass:  s.forward,
	})
	return s.out, nil
}

func (s *stem) forward(_, part, b int) {
	h := s.batch.slot(s.outData, part, b)
	for i, bias := range s.bias {
		lanes := h[i*simd.Lanes:][:simd.Lanes]
		for j := range lanes {
			lanes[j] = bias
		}
	}
	s.layer.forward.Forward(h, s.batch.slot(s.x, part, b), nil, h, true)
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
	layer  *layer
	batch  *batch
	done   *tensor.Dense
	masked [][]float32 // [worker] gradient of a block before the ReLU

	x, h, dh []float32
}

func newStemGrad(s *stem) *stemGrad {
	g := &stemGrad{layer: s.layer, batch: s.batch, done: newTensor(1)}
	g.op = op{s.name + " gradient", []int{2, 2, 2}, g.done.Shape()}
	g.masked = s.batch.perWorker(s.layer.outSize())
	return g
}

// Do records the task that computes the gradients of the parameters.
func (g *stemGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	g.x, g.h, g.dh = floats(in[0]), floats(in[1]), floats(in[2])
	g.batch.recording.add(task{name: g.name, pass: g.backward, reduces: g.layer.reductions(nil, g.x)})
	return g.done, nil
}

func (g *stemGrad) backward(worker, part, b int) {
	if g.batch.first(part, b) {
		g.layer.reset(part)
	}
	masked := g.masked[worker]
	simd.ReLUMask(g.batch.level, masked, g.batch.slot(g.h, part, b), g.batch.slot(g.dh, part, b))
	g.layer.add(part, b, g.batch.slot(g.x, part, b), masked)
}
