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
	middle        []float32   // t of the whole batch
	mean          []float32   // of h, [block][channel][simd.Lanes]; nil without global
	pooled        [][]float32 // [worker] Global * mean of a block

	h, bias1, bias2 []float32 // of the run under way
	forward         func(worker, block int)
}

func newBlock(b *batch, n *net.Block) *block {
	o := &block{batch: b, squares: n.First.Lattice.Squares}
	o.first = newLayer(b, n.First, tensor.Shape{n.First.Out}, n.First.In)
	o.second = newLayer(b, n.Second, tensor.Shape{n.Second.Out}, n.Second.In)
	o.size = o.second.outSize()
	o.out = newTensor(b.blocks, o.size)
	o.outData = floats(o.out)
	o.middle = make([]float32, b.blocks*o.first.outSize())
	o.op = op{n.First.Name + " and " + n.Second.Name, []int{2, 3, 1, 3, 1}, o.out.Shape()}
	if n.Global != nil {
		o.global = newLayer(b, n.Global, nil, n.Global.In)
		o.mean = make([]float32, b.blocks*o.global.inSize())
		o.pooled = b.perWorker(o.global.outSize())
		o.in = append(o.in, 3)
	}
	o.forward = o.forwardBlock
	o.back = newBlockGrad(o)
	return o
}

// Do computes y.
func (o *block) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	o.h = floats(in[0])
	o.first.forward.Pack(floats(in[1]))
	o.bias1 = floats(in[2])
	o.second.forward.Pack(floats(in[3]))
	o.bias2 = floats(in[4])
	if o.global != nil {
		o.global.forward.Pack(floats(in[5]))
	}
	o.batch.run(o.batch.blocks, o.forward)
	return o.out, nil
}

func (o *block) forwardBlock(worker, b int) {
	n := o.batch.blocks
	h, t := row(o.h, n, b), row(o.middle, n, b)
	var bias []float32 // for each square, in the place of the result
	if o.global != nil {
		mean, pooled := row(o.mean, n, b), o.pooled[worker]
		simd.SumSquares(o.batch.level, mean, h, o.squares)
		simd.Scale(o.batch.level, mean, 1/float32(o.squares), mean)
		o.global.forward.Forward(pooled, mean, nil, nil, false)
		simd.Broadcast(o.batch.level, t, pooled, o.squares, 1)
		bias = t
	}
	o.first.forward.Forward(t, h, o.bias1, bias, true)
	o.second.forward.Forward(row(o.outData, n, b), t, o.bias2, h, true)
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
	reduced    *reduction

	h, y, grad []float32 // of the run under way
	backward   func(worker, part int)
}

func newBlockGrad(o *block) *blockGrad {
	g := &blockGrad{block: o, result: newTensor(o.batch.blocks, o.size)}
	g.resultData = floats(g.result)
	g.op = op{o.name + " gradient", []int{2, 2, 2, 3, 3}, g.result.Shape()}
	g.dy, g.dt = o.batch.perWorker(o.size), o.batch.perWorker(o.size)
	layers := []*layer{o.first, o.second}
	if o.global != nil {
		g.in = append(g.in, 3)
		g.dpooled = o.batch.perWorker(o.global.outSize())
		g.dmean = o.batch.perWorker(o.global.inSize())
		layers = append(layers, o.global)
	}
	g.reduced = newReduction(layers...)
	g.backward = g.backwardPart
	return g
}

// Do computes the gradients of h and of the parameters.
func (g *blockGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	o := g.block
	g.h, g.y, g.grad = floats(in[0]), floats(in[1]), floats(in[2])
	o.first.packBackward(floats(in[3]))
	o.second.packBackward(floats(in[4]))
	if o.global != nil {
		o.global.packBackward(floats(in[5]))
	}
	o.batch.run(o.batch.parts, g.backward)
	g.reduced.run(o.batch.workers, g.h, o.middle, o.mean)
	return g.result, nil
}

func (g *blockGrad) backwardPart(worker, part int) {
	o := g.block
	n, level := o.batch.blocks, o.batch.level
	dy, dt := g.dy[worker], g.dt[worker]
	o.first.reset(part)
	o.second.reset(part)
	if o.global != nil {
		o.global.reset(part)
	}
	first, end := o.batch.part(part)
	for b := first; b < end; b++ {
		h, t := row(g.h, n, b), row(o.middle, n, b)
		simd.ReLUMask(level, dy, row(g.y, n, b), row(g.grad, n, b))
		o.second.add(part, b, t, dy)
		o.second.backward.Forward(dt, dy, nil, nil, false)
		simd.ReLUMask(level, dt, t, dt)
		o.first.add(part, b, h, dt)
		// From here dy is what reaches h beside First: by the residual, and by Global.
		if o.global != nil {
			dpooled, dmean := g.dpooled[worker], g.dmean[worker]
			simd.SumSquares(level, dpooled, dt, o.squares)
			o.global.add(part, b, row(o.mean, n, b), dpooled)
			o.global.backward.Forward(dmean, dpooled, nil, nil, false)
			simd.AddBroadcast(level, dy, dmean, o.squares, 1/float32(o.squares))
		}
		o.first.backward.Forward(row(g.resultData, n, b), dt, nil, dy, false)
	}
}
