package train

import (
	"damier/internal/simd"
	"damier/net"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// block is the operation of a residual block:
//
//	t = ReLU(First * h + bias [+ Global * mean of h over the squares])
//	y = ReLU(Second * t + bias + h)
//
// One operation and not two: the middle never leaves the cache, and h has one consumer.
//
// Inputs: h, the parameters of First, those of Second, and Global's weights if there is one.
type block struct {
	op
	batch         *batch
	first, second *layer
	global        *layer // or nil
	back          *blockGrad

	squares, size int // of a board, and the length of a block of activations
	out           *tensor.Dense
	outData       []float32
	middle        []float32   // t, [slot]
	mean          []float32   // of h, of the whole batch, [block][channel][simd.Lanes]; nil without global
	pooled        [][]float32 // [worker] Global * mean of a block

	h, bias1, bias2 []float32 // of the run under way
}

func newBlock(b *batch, n *net.Block) *block {
	o := &block{batch: b, squares: n.First.Lattice.Squares}
	o.first = newLayer(b, n.First, tensor.Shape{n.First.Out}, n.First.In)
	o.second = newLayer(b, n.Second, tensor.Shape{n.Second.Out}, n.Second.In)
	o.size = o.second.outSize()
	o.out = newTensor(b.slots, o.size)
	o.outData = floats(o.out)
	o.middle = b.activations(o.first.outSize())
	o.op = op{n.First.Name + " and " + n.Second.Name, []int{2, 3, 1, 3, 1}, o.out.Shape()}
	if n.Global != nil {
		o.global = newLayer(b, n.Global, nil, n.Global.In)
		o.mean = make([]float32, b.blocks*o.global.inSize())
		o.pooled = b.perWorker(o.global.outSize())
		o.in = append(o.in, 3)
	}
	o.back = newBlockGrad(o)
	return o
}

// Do records the task that computes y.
func (o *block) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	h, bias1, bias2 := floats(in[0]), floats(in[2]), floats(in[4])
	first, second := floats(in[1]), floats(in[3])
	packs := []func(){
		func() { o.first.forward.Pack(first) },
		func() { o.second.forward.Pack(second) },
	}
	if o.global != nil {
		global := floats(in[5])
		packs = append(packs, func() { o.global.forward.Pack(global) })
	}
	o.batch.recording.add(task{
		name:  o.name,
		begin: func() { o.h, o.bias1, o.bias2 = h, bias1, bias2 },
		packs: packs,
		pass:  o.forward,
	})
	return o.out, nil
}

func (o *block) forward(worker, part, b int) {
	h, t := o.batch.slot(o.h, part, b), o.batch.slot(o.middle, part, b)
	var bias []float32 // for each square, in the place of the result
	if o.global != nil {
		mean, pooled := row(o.mean, o.batch.blocks, b), o.pooled[worker]
		simd.SumSquares(o.batch.level, mean, h, o.squares)
		simd.Scale(o.batch.level, mean, 1/float32(o.squares), mean)
		o.global.forward.Forward(pooled, mean, nil, nil, false)
		simd.Broadcast(o.batch.level, t, pooled, o.squares, 1)
		bias = t
	}
	o.first.forward.Forward(t, h, o.bias1, bias, true)
	o.second.forward.Forward(o.batch.slot(o.outData, part, b), t, o.bias2, h, true)
}

// DiffWRT says that there are gradients of all inputs.
func (o *block) DiffWRT(inputs int) []bool {
	all := make([]bool, inputs)
	for i := range all {
		all[i] = true
	}
	return all
}

// SymDiff adds the gradients' operations to the graph.
func (o *block) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	children := gorgonia.Nodes{in[0], out, grad, in[1], in[3]}
	if o.global != nil {
		children = append(children, in[5])
	}
	dh, err := gorgonia.ApplyOp(o.back, children...)
	if err != nil {
		return nil, err
	}
	grads := gorgonia.Nodes{dh}
	for _, l := range []*layer{o.first, o.second, o.global} {
		if l == nil {
			continue
		}
		if grads, err = l.gradients(grads, dh); err != nil {
			return nil, err
		}
	}
	return grads, nil
}

// blockGrad is the backward pass of a residual block. Its result is the gradient of h.
//
// Inputs: h, y, gradient of y, the weights of First, of Second and of Global if there is one.
type blockGrad struct {
	op
	block *block

	result     *tensor.Dense
	resultData []float32
	dy, dt     [][]float32 // [worker] gradients of a block's y and t, before their ReLU
	dpooled    [][]float32 // [worker] of Global's output
	dmean      [][]float32 // [worker]

	h, y, grad []float32
}

func newBlockGrad(o *block) *blockGrad {
	g := &blockGrad{block: o, result: newTensor(o.batch.slots, o.size)}
	g.resultData = floats(g.result)
	g.op = op{o.name + " gradient", []int{2, 2, 2, 3, 3}, g.result.Shape()}
	g.dy, g.dt = o.batch.perWorker(o.size), o.batch.perWorker(o.size)
	if o.global != nil {
		g.in = append(g.in, 3)
		g.dpooled = o.batch.perWorker(o.global.outSize())
		g.dmean = o.batch.perWorker(o.global.inSize())
	}
	return g
}

// Do records the task that computes the gradients of h and of the parameters.
func (g *blockGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	o := g.block
	g.h, g.y, g.grad = floats(in[0]), floats(in[1]), floats(in[2])
	first, second := floats(in[3]), floats(in[4])
	t := task{
		name: g.name,
		packs: []func(){
			func() { o.first.backward.PackTransposed(first) },
			func() { o.second.backward.PackTransposed(second) },
		},
		pass: g.backward,
	}
	t.reduces = o.second.reductions(o.first.reductions(nil, nil), nil)
	if o.global != nil {
		global := floats(in[5])
		t.packs = append(t.packs, func() { o.global.backward.PackTransposed(global) })
		t.reduces = o.global.reductions(t.reduces, o.mean)
	}
	o.batch.recording.add(t)
	return g.result, nil
}

func (g *blockGrad) backward(worker, part, b int) {
	o := g.block
	level := o.batch.level
	if o.batch.first(part, b) {
		o.first.reset(part)
		o.second.reset(part)
		if o.global != nil {
			o.global.reset(part)
		}
	}
	dy, dt := g.dy[worker], g.dt[worker]
	h, t := o.batch.slot(g.h, part, b), o.batch.slot(o.middle, part, b)
	simd.ReLUMask(level, dy, o.batch.slot(g.y, part, b), o.batch.slot(g.grad, part, b))
	o.second.add(part, b, t, dy)
	o.second.backward.Forward(dt, dy, nil, nil, false)
	simd.ReLUMask(level, dt, t, dt)
	o.first.add(part, b, h, dt)
	// From here dy is what reaches h beside First: by the residual, and by Global.
	if o.global != nil {
		dpooled, dmean := g.dpooled[worker], g.dmean[worker]
		simd.SumSquares(level, dpooled, dt, o.squares)
		o.global.add(part, b, row(o.mean, o.batch.blocks, b), dpooled)
		o.global.backward.Forward(dmean, dpooled, nil, nil, false)
		simd.AddBroadcast(level, dy, dmean, o.squares, 1/float32(o.squares))
	}
	o.first.backward.Forward(o.batch.slot(g.resultData, part, b), dt, nil, dy, false)
}
