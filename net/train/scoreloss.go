package train

import (
	"math"

	"damier/data"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scoreLoss is the loss of a sparse network: the cross-entropy of the expected score, given as a
// logit, against the score of the samples; a mean over the samples.
//
// Input: logits, [part][partSize]. Result: the loss, in nats.
type scoreLoss struct {
	op
	batch  *batch
	lists  []indices
	back   *scoreLossGrad
	result gorgonia.F32

	samples []data.Sample // set before a run
	rows    []float64     // loss of each sample
	logits  []float32
}

func newScoreLoss(b *batch, lists []indices) *scoreLoss {
	o := &scoreLoss{batch: b, lists: lists, rows: make([]float64, b.parts*partSize)}
	o.op = op{"loss of the score", []int{2}, tensor.ScalarShape()}
	out := newTensor(b.parts, partSize)
	o.back = &scoreLossGrad{op: op{o.name + " gradient", []int{2, 0, 0}, out.Shape()}, of: o, out: out, outData: floats(out)}
	return o
}

// Do records the task that computes the losses of the samples.
func (o *scoreLoss) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	logits := floats(in[0])
	o.batch.recording.add(task{name: o.name, begin: func() { o.logits = logits }, pass: o.forward})
	return &o.result, nil
}

func (o *scoreLoss) forward(part int) {
	logits := o.batch.slot(o.logits, part)
	for i := range o.lists[part].count {
		s, z := &o.samples[part*partSize+i], float64(logits[i])
		// log(1 + exp(z)) - score*z, without overflow.
		o.rows[part*partSize+i] = max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - float64(s.Score)*z
	}
}

// total returns the sum of the losses.
func (o *scoreLoss) total() float64 {
	sum := 0.0
	for _, x := range o.rows[:len(o.samples)] {
		sum += x
	}
	return sum
}

// DiffWRT says that the logits have a gradient.
func (o *scoreLoss) DiffWRT(int) []bool { return []bool{true} }

// SymDiff adds the gradient's operation to the graph.
func (o *scoreLoss) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	logits, err := gorgonia.ApplyOp(o.back, in[0], out, grad)
	return gorgonia.Nodes{logits}, err
}

// scoreLossGrad is the backward pass of scoreLoss: the expected score minus the score of the
// sample, divided by the number of samples.
//
// Inputs: logits, loss, gradient of the loss, which is 1. Result: the gradient of the logits.
type scoreLossGrad struct {
	op
	of      *scoreLoss
	out     *tensor.Dense
	outData []float32
}

// Do records the task that computes the gradient.
func (g *scoreLossGrad) Do(...gorgonia.Value) (gorgonia.Value, error) {
	g.of.batch.recording.add(task{name: g.name, pass: g.backward})
	return g.out, nil
}

func (g *scoreLossGrad) backward(part int) {
	o := g.of
	logits, d := o.batch.slot(o.logits, part), o.batch.slot(g.outData, part)
	share := 1 / float64(len(o.samples))
	for i := range o.lists[part].count {
		expected := 1 / (1 + math.Exp(-float64(logits[i])))
		d[i] = float32(share * (expected - float64(o.samples[part*partSize+i].Score)))
	}
}
