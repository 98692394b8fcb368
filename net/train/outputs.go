package train

import (
	"damier/internal/simd"
	"damier/net/nnue"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// outputs computes the logit of a position: the weighted sum of its activations plus a bias, with
// the weights and the bias of the output for its number of pieces.
//
// Inputs: activations, weights [output][2][width], biases [output]. Result: logits,
// [part][partSize].
type outputs struct {
	op
	batch *batch
	lists []indices
	n     int // number of activations of a position
	back  *outputsGrad

	out     *tensor.Dense
	outData []float32

	x, weights, biases []float32
}

func newOutputs(b *batch, lists []indices, m *nnue.Model) *outputs {
	o := &outputs{batch: b, lists: lists, n: 2 * m.Width}
	o.out = newTensor(b.parts, partSize)
	o.outData = floats(o.out)
	o.op = op{"outputs by phase", []int{2, 3, 1}, o.out.Shape()}
	o.back = newOutputsGrad(o, m)
	return o
}

// Do records the task that computes the logits.
func (o *outputs) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	x, weights, biases := floats(in[0]), floats(in[1]), floats(in[2])
	o.batch.recording.add(task{
		name:  o.name,
		begin: func() { o.x, o.weights, o.biases = x, weights, biases },
		pass:  o.forward,
	})
	return o.out, nil
}

func (o *outputs) forward(part int) {
	list, x, logits := &o.lists[part], o.batch.slot(o.x, part), o.batch.slot(o.outData, part)
	for i := range list.count {
		p := list.output[i]
		logits[i] = o.biases[p] + simd.Dot(o.batch.level, x[i*o.n:(i+1)*o.n], o.weights[p*o.n:(p+1)*o.n])
	}
}

// DiffWRT says that all inputs have gradients.
func (o *outputs) DiffWRT(int) []bool { return []bool{true, true, true} }

// SymDiff adds the operations of the gradients to the graph.
func (o *outputs) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	x, err := gorgonia.ApplyOp(o.back, in[0], in[1], out, grad)
	if err != nil {
		return nil, err
	}
	weights, err := newPart("gradient of the weights of outputs", o.back.weights, x)
	if err != nil {
		return nil, err
	}
	biases, err := newPart("gradient of the biases of outputs", o.back.biases, x)
	return gorgonia.Nodes{x, weights, biases}, err
}

// outputsGrad is the backward pass of outputs. Each part has its own sums of the gradients of
// weights and biases.
//
// Inputs: activations, weights, logits, gradient of the logits. Result: the gradient of the
// activations.
type outputsGrad struct {
	op
	of              *outputs
	weights, biases *tensor.Dense
	weightSums      [][]float32 // [part][output][2][width]
	biasSums        [][]float32 // [part][output]

	out     *tensor.Dense
	outData []float32

	x, w, dlogits []float32
}

func newOutputsGrad(o *outputs, m *nnue.Model) *outputsGrad {
	g := &outputsGrad{of: o, weights: newTensor(nnue.Outputs, 2, m.Width), biases: newTensor(nnue.Outputs), out: newTensor(o.batch.parts, partSize*o.n)}
	g.outData = floats(g.out)
	for range o.batch.parts {
		g.weightSums = append(g.weightSums, make([]float32, len(m.Output)))
		g.biasSums = append(g.biasSums, make([]float32, len(m.Bias)))
	}
	g.op = op{o.name + " gradient", []int{2, 3, 2, 2}, g.out.Shape()}
	return g
}

// Do records the task that computes the gradients.
func (g *outputsGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	g.x, g.w, g.dlogits = floats(in[0]), floats(in[1]), floats(in[3])
	b := g.of.batch
	b.recording.add(task{
		name:    g.name,
		pass:    g.backward,
		reduces: append(reductions(b, floats(g.weights), g.weightSums), reductions(b, floats(g.biases), g.biasSums)...),
	})
	return g.out, nil
}

func (g *outputsGrad) backward(part int) {
	batch, n := g.of.batch, g.of.n
	weights, biases := g.weightSums[part], g.biasSums[part]
	clear(weights)
	clear(biases)
	list, x, dx, dlogits := &g.of.lists[part], batch.slot(g.x, part), batch.slot(g.outData, part), batch.slot(g.dlogits, part)
	for i := range list.count {
		p, d := list.output[i], dlogits[i]
		biases[p] += d
		simd.Axpy(batch.level, weights[p*n:(p+1)*n], d, x[i*n:(i+1)*n])
		simd.Scale(batch.level, dx[i*n:(i+1)*n], d, g.w[p*n:(p+1)*n])
	}
}
