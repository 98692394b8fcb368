package train

import (
	"math"

	"damier/data"
	"damier/internal/simd"
	"damier/net"
	"damier/rules"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// heads is the operation from the trunk to the loss: the policy head with the cross-entropy over the legal
// moves, and the value head with the cross-entropy over win, draw and loss. Its result is the loss,
//
//	PolicyWeight * policy loss + ValueWeight * value loss
//
// One operation and not several, for the trunk's output to have one consumer.
//
// Inputs: x, h, and weight and bias of Policy, Hidden and Out.
type heads struct {
	op
	batch   *batch
	arch    *net.Architecture
	encode  *net.Encoder
	board   *rules.Geometry
	squares int // of the trunk: 1 for a dense one
	back    *headsGrad

	policyWeight, valueWeight float64

	policy, hidden *layer
	outWeight      []float32 // of the run under way, [hidden][3]
	outBias        []float32

	// samples are the rows of the run, set before it: at most the batch. What stands in the lanes beyond
	// them is of no account.
	samples []data.Sample
	first   []int // [sample+1] where a row's moves begin in probabilities
	rows    []rowLoss
	totals  totals
	result  gorgonia.F32

	moves         []float32 // policy outputs, [slot][square][PolicyChannels][simd.Lanes]
	probabilities []float32 // of the legal moves of all rows
	features      []float32 // of the value head, of the whole batch, [block][Hidden.In][simd.Lanes]
	active        []float32 // Hidden's output, [slot][Hidden.Out][simd.Lanes]
	logitGrad     []float32 // of Out's outputs, for a row's loss alone, [slot][3][simd.Lanes]

	x, h                   []float32 // of the run under way
	policyBias, hiddenBias []float32
}

func newHeads(b *batch, m *net.Model, a *net.Architecture, cfg Config) *heads {
	o := &heads{
		batch: b, arch: a, encode: net.NewEncoder(m.Variant, m.Config), board: m.Variant.Board,
		squares:      a.Stem.Lattice.Squares,
		policyWeight: max(cfg.PolicyWeight, 0), valueWeight: max(cfg.ValueWeight, 0),
	}
	trunk := a.Stem.Out
	o.op = op{"policy, value and loss", []int{2, 2, 3, 1, 3, 1, 3, 1}, tensor.ScalarShape()}
	o.policy = newLayer(b, &a.Policy, tensor.Shape{a.Policy.Out}, trunk)
	o.hidden = newLayer(b, &a.Hidden, tensor.Shape{a.Hidden.Out}, trunk)
	o.rows = make([]rowLoss, b.blocks*simd.Lanes)
	o.first = make([]int, len(o.rows)+1)
	o.moves = b.activations(o.policy.outSize())
	o.features = make([]float32, b.blocks*o.hidden.inSize())
	o.active = b.activations(o.hidden.outSize())
	o.logitGrad = b.activations(3 * simd.Lanes)
	o.back = newHeadsGrad(o)
	return o
}

// Do records the task that computes the rows' losses, of which total makes the loss.
func (o *heads) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	x, h := floats(in[0]), floats(in[1])
	policy, policyBias := floats(in[2]), floats(in[3])
	hidden, hiddenBias := floats(in[4]), floats(in[5])
	outWeight, outBias := floats(in[6]), floats(in[7])
	o.batch.recording.add(task{
		name: o.name,
		begin: func() {
			o.x, o.h = x, h
			o.policyBias, o.hiddenBias = policyBias, hiddenBias
			o.outWeight, o.outBias = outWeight, outBias
			o.begin()
		},
		packs: []func(){
			func() { o.policy.forward.Pack(policy) },
			func() { o.hidden.forward.Pack(hidden) },
		},
		pass: o.forward,
	})
	return &o.result, nil
}

// begin makes room for the rows' results, and sums up what depends on the samples alone: with the weights the
// backward pass of a row need not wait for the loss of the others.
func (o *heads) begin() {
	o.totals = totals{}
	for i := range o.samples {
		s, t := &o.samples[i], &o.totals
		o.first[i+1] = o.first[i] + len(s.Policy)
		w := float64(s.Weight)
		if s.Policy != nil {
			t.policyWeight += w
		}
		t.valueWeight += w
		t.outcome[0] += w * float64(s.Value.Win)
		t.outcome[1] += w * float64(s.Value.Draw)
		t.outcome[2] += w * float64(s.Value.Loss)
	}
	if n := o.first[len(o.samples)]; n > len(o.probabilities) {
		o.probabilities = make([]float32, n+n/4)
	}
}

// total adds up the rows' losses, when all have been computed.
func (o *heads) total() {
	for i := range o.samples {
		s, r, t := &o.samples[i], &o.rows[i], &o.totals
		w := float64(s.Weight)
		if s.Policy != nil {
			t.policy += w * r.policy
			t.entropy += w * r.entropy
			if r.top {
				t.top += w
			}
		}
		t.value += w * r.value
	}
	loss := o.totals.loss()
	o.result = gorgonia.F32(o.policyWeight*loss.Policy + o.valueWeight*loss.Value)
}

func (o *heads) forward(_, part, b int) {
	level := o.batch.level
	h, moves := o.batch.slot(o.h, part, b), o.batch.slot(o.moves, part, b)
	o.policy.forward.Forward(moves, h, o.policyBias, nil, false)

	f := row(o.features, o.batch.blocks, b)
	pooled, counts := f[:o.arch.Stem.Out*simd.Lanes], f[o.arch.Stem.Out*simd.Lanes:]
	simd.SumSquares(level, pooled, h, o.squares)
	simd.Scale(level, pooled, o.arch.PoolScale, pooled)
	if len(counts) > 0 {
		x := o.batch.slot(o.x, part, b)
		clear(counts)
		for s := range o.arch.Squares {
			simd.Axpy(level, counts, o.arch.CountScale, x[s*o.arch.Planes*simd.Lanes:][:len(counts)])
		}
	}
	active := o.batch.slot(o.active, part, b)
	o.hidden.forward.Forward(active, f, o.hiddenBias, nil, true)

	var logits [3][simd.Lanes]float32
	for k := range logits {
		for l := range logits[k] {
			logits[k][l] = o.outBias[k]
		}
	}
	for j := range o.hidden.Out {
		w := o.outWeight[j*3:][:3]
		for l, v := range active[j*simd.Lanes:][:simd.Lanes] {
			logits[0][l] += w[0] * v
			logits[1][l] += w[1] * v
			logits[2][l] += w[2] * v
		}
	}

	logitGrad := o.batch.slot(o.logitGrad, part, b)
	for lane := range simd.Lanes {
		i := b*simd.Lanes + lane
		if i >= len(o.samples) {
			break
		}
		r := &o.rows[i]
		*r = rowLoss{}
		o.policyLoss(r, i, moves[lane:])
		s := &o.samples[i]
		target := [3]float64{float64(s.Value.Win), float64(s.Value.Draw), float64(s.Value.Loss)}
		row := [3]float64{float64(logits[0][lane]), float64(logits[1][lane]), float64(logits[2][lane])}
		var grad [3]float64
		r.value, grad = crossEntropy3(row, target)
		for k, g := range grad {
			logitGrad[k*simd.Lanes+lane] = float32(g)
		}
	}
}

// crossEntropy3 returns the cross-entropy of the softmax of the logits against the target, and its gradient by
// the logits.
func crossEntropy3(logits, target [3]float64) (loss float64, grad [3]float64) {
	highest := max(logits[0], logits[1], logits[2])
	sum := 0.0
	for k, l := range logits {
		grad[k] = math.Exp(l - highest)
		sum += grad[k]
	}
	all := target[0] + target[1] + target[2]
	norm := highest + math.Log(sum)
	for k, l := range logits {
		loss += target[k] * (norm - l)
		grad[k] = all*grad[k]/sum - target[k]
	}
	return loss, grad
}

// policyLoss computes the probabilities of row i's moves and their cross-entropy. out are the policy outputs
// of its lane: [square][PolicyChannels], simd.Lanes apart.
func (o *heads) policyLoss(r *rowLoss, i int, out []float32) {
	s := &o.samples[i]
	p := o.probabilities[o.first[i]:o.first[i+1]]
	if len(p) == 0 {
		return
	}
	rank, channels := o.arch.PolicyRank, o.arch.PolicyChannels()
	best, wanted := 0, 0
	for j, m := range s.Moves {
		from := out[o.encode.Index(s.Position.Turn, m.From)*channels*simd.Lanes:]
		to := out[o.encode.Index(s.Position.Turn, m.To)*channels*simd.Lanes:]
		logit := to[(2*rank+1)*simd.Lanes]
		for c := range rank {
			logit += from[c*simd.Lanes] * to[(rank+c)*simd.Lanes]
		}
		for captured := m.Captured(); !captured.Empty(); {
			at := o.encode.Index(s.Position.Turn, o.board.Pop(&captured))
			logit += out[(at*channels+2*rank)*simd.Lanes]
		}
		p[j] = logit
		if logit > p[best] {
			best = j
		}
		if s.Policy[j] > s.Policy[wanted] {
			wanted = j
		}
	}
	r.top = best == wanted
	highest, sum := float64(p[best]), 0.0
	for _, logit := range p {
		sum += math.Exp(float64(logit) - highest)
	}
	norm := highest + math.Log(sum)
	for j, logit := range p {
		t := float64(s.Policy[j])
		r.policy += t * (norm - float64(logit))
		if t > 0 {
			r.entropy -= t * math.Log(t)
		}
		p[j] = float32(math.Exp(float64(logit) - norm))
	}
}

// addPolicyGrad adds to grad, laid out as policyLoss's out, the gradient of scale times row i's cross-entropy.
func (o *heads) addPolicyGrad(grad, out []float32, i int, scale float32) {
	s := &o.samples[i]
	all := float32(0)
	for _, t := range s.Policy {
		all += t
	}
	rank, channels := o.arch.PolicyRank, o.arch.PolicyChannels()
	for j, p := range o.probabilities[o.first[i]:o.first[i+1]] {
		m := s.Moves[j]
		g := scale * (all*p - s.Policy[j])
		from := o.encode.Index(s.Position.Turn, m.From) * channels * simd.Lanes
		to := o.encode.Index(s.Position.Turn, m.To) * channels * simd.Lanes
		grad[to+(2*rank+1)*simd.Lanes] += g
		for c := range rank {
			a, b := from+c*simd.Lanes, to+(rank+c)*simd.Lanes
			grad[a] += g * out[b]
			grad[b] += g * out[a]
		}
		for captured := m.Captured(); !captured.Empty(); {
			at := o.encode.Index(s.Position.Turn, o.board.Pop(&captured))
			grad[(at*channels+2*rank)*simd.Lanes] += g
		}
	}
}

// DiffWRT says that there are gradients of all inputs but x.
func (o *heads) DiffWRT(inputs int) []bool {
	all := make([]bool, inputs)
	for i := 1; i < inputs; i++ {
		all[i] = true
	}
	return all
}

// SymDiff adds the gradients' operations to the graph.
func (o *heads) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	// The loss is an input, although its value is not: what it left behind is used.
	dh, err := gorgonia.ApplyOp(o.back, in[1], out, grad, in[2], in[4], in[6])
	if err != nil {
		return nil, err
	}
	grads := gorgonia.Nodes{nil, dh}
	if grads, err = o.policy.gradients(grads, dh); err != nil {
		return nil, err
	}
	if grads, err = o.hidden.gradients(grads, dh); err != nil {
		return nil, err
	}
	w, err := newPart("gradient of "+o.arch.Out.Weight(), o.back.outWeight, dh)
	if err != nil {
		return nil, err
	}
	b, err := newPart("gradient of "+o.arch.Out.Bias(), o.back.outBias, dh)
	if err != nil {
		return nil, err
	}
	return append(grads, w, b), nil
}

// headsGrad is the backward pass of the heads. Its result is the gradient of h.
//
// Inputs: h, loss, gradient of the loss, the weights of Policy, Hidden and Out.
type headsGrad struct {
	op
	heads *heads

	result     *tensor.Dense
	resultData []float32
	dmoves     [][]float32 // [worker] gradient of a block's policy outputs
	dpooled    [][]float32 // [worker]
	dactive    [][]float32 // [worker] gradient of Hidden's output, before the ReLU

	outWeight, outBias         *tensor.Dense
	outWeightData, outBiasData []float32
	outSums                    [][]float32 // [part] gradients of Out's weights and bias

	h           []float32
	weight      []float32 // Out's
	policyScale float64   // of the run under way: what a row's gradients are multiplied by, beside its weight
	valueScale  float64
}

func newHeadsGrad(o *heads) *headsGrad {
	g := &headsGrad{heads: o, result: newTensor(o.batch.slots, o.policy.inSize())}
	g.resultData = floats(g.result)
	g.op = op{o.name + " gradient", []int{2, 0, 0, 3, 3, 3}, g.result.Shape()}
	g.dmoves = o.batch.perWorker(o.policy.outSize())
	g.dpooled = o.batch.perWorker(o.arch.Stem.Out * simd.Lanes)
	g.dactive = o.batch.perWorker(o.hidden.outSize())
	g.outWeight, g.outBias = newTensor(1, o.hidden.Out, 3), newTensor(3)
	g.outWeightData, g.outBiasData = floats(g.outWeight), floats(g.outBias)
	for range o.batch.parts {
		g.outSums = append(g.outSums, make([]float32, (o.hidden.Out+1)*3))
	}
	return g
}

// Do records the task that computes the gradients of h and of the parameters.
func (g *headsGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	o := g.heads
	g.h, g.weight = floats(in[0]), floats(in[5])
	grad := float64(in[2].Data().(float32))
	policy := floats(in[3])
	// Only the pooled features hang on the trunk, and they are the first inputs.
	hidden := floats(in[4])[:o.arch.Stem.Out*o.hidden.Out]
	t := task{
		name:  g.name,
		begin: func() { g.begin(grad) },
		packs: []func(){
			func() { o.policy.backward.PackTransposed(policy) },
			func() { o.hidden.backward.PackTransposed(hidden) },
		},
		pass: g.backward,
	}
	t.reduces = o.hidden.reductions(o.policy.reductions(nil, g.h), o.features)
	t.reduces = append(t.reduces, g.reduceOut)
	o.batch.recording.add(t)
	return g.result, nil
}

// begin works out the scales of the run, when heads has begun it.
func (g *headsGrad) begin(grad float64) {
	o := g.heads
	g.policyScale, g.valueScale = 0, 0
	if w := o.totals.policyWeight; w != 0 {
		g.policyScale = grad * o.policyWeight / w
	}
	if w := o.totals.valueWeight; w != 0 {
		g.valueScale = grad * o.valueWeight / w
	}
}

// reduceOut makes the gradients of Out.
func (g *headsGrad) reduceOut() {
	level := g.heads.batch.level
	weight, bias := g.outWeightData, g.outBiasData
	clear(weight)
	clear(bias)
	for _, s := range g.outSums {
		simd.Axpy(level, weight, 1, s[:len(weight)])
		simd.Axpy(level, bias, 1, s[len(weight):])
	}
}

func (g *headsGrad) backward(worker, part, b int) {
	o := g.heads
	level := o.batch.level
	if o.batch.first(part, b) {
		clear(g.outSums[part])
		o.policy.reset(part)
		o.hidden.reset(part)
	}
	dmoves, dpooled, dactive := g.dmoves[worker], g.dpooled[worker], g.dactive[worker]
	outWeight, outBias := g.outSums[part][:o.hidden.Out*3], g.outSums[part][o.hidden.Out*3:]
	h, dh := o.batch.slot(g.h, part, b), o.batch.slot(g.resultData, part, b)
	moves, logitGrad := o.batch.slot(o.moves, part, b), o.batch.slot(o.logitGrad, part, b)
	clear(dmoves)
	var dlogits [3][simd.Lanes]float32
	for lane := range simd.Lanes {
		i := b*simd.Lanes + lane
		if i >= len(o.samples) {
			break
		}
		w := float64(o.samples[i].Weight)
		o.addPolicyGrad(dmoves[lane:], moves[lane:], i, float32(w*g.policyScale))
		for k := range dlogits {
			dlogits[k][lane] = float32(w*g.valueScale) * logitGrad[k*simd.Lanes+lane]
		}
	}
	o.policy.add(part, b, h, dmoves)
	o.policy.backward.Forward(dh, dmoves, nil, nil, false)

	active := o.batch.slot(o.active, part, b)
	for k := range dlogits {
		for _, d := range dlogits[k] {
			outBias[k] += d
		}
	}
	for j := range o.hidden.Out {
		w, sum := g.weight[j*3:][:3], outWeight[j*3:][:3]
		a, da := active[j*simd.Lanes:][:simd.Lanes], dactive[j*simd.Lanes:][:simd.Lanes]
		for l, v := range a {
			d0, d1, d2 := dlogits[0][l], dlogits[1][l], dlogits[2][l]
			sum[0] += v * d0
			sum[1] += v * d1
			sum[2] += v * d2
			da[l] = w[0]*d0 + w[1]*d1 + w[2]*d2
		}
	}
	simd.ReLUMask(level, dactive, active, dactive)
	o.hidden.add(part, b, row(o.features, o.batch.blocks, b), dactive)
	o.hidden.backward.Forward(dpooled, dactive, nil, nil, false)
	simd.AddBroadcast(level, dh, dpooled, o.squares, o.arch.PoolScale)
}
