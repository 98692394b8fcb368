package train

import (
	"damier/internal/simd"
	"damier/net"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// batch is what all operations of a graph share: how the samples are cut up, and who works on them.
type batch struct {
	*workers
	level  simd.Level
	blocks int // of simd.Lanes samples
	parts  int // that the blocks are cut into for the gradients, whatever the number of workers
	slots  int // blocks of activations that are kept: one a part for a lattice, all for a dense network

	recording *schedule // of the program that is being compiled
}

// newBatch returns the batch of a network whose trunk has so many squares.
//
// The weights of a dense layer are many and its activations few: its gradient is summed over the whole batch
// at once, and needs all inputs.
func newBatch(w *workers, level simd.Level, blocks, squares int) *batch {
	b := &batch{workers: w, level: level, blocks: blocks, parts: min(blocks, maxParts)}
	b.slots = b.parts
	if squares == 1 {
		b.slots = blocks
	}
	return b
}

// activations returns the memory for the activations of the slots, n float32s each.
func (b *batch) activations(n int) []float32 { return make([]float32, b.slots*n) }

// slot returns where in activations a block of a part is.
func (b *batch) slot(activations []float32, part, block int) []float32 {
	if b.slots == b.blocks {
		return row(activations, b.slots, block)
	}
	return row(activations, b.slots, part)
}

// first reports whether the block is the first of its part.
func (b *batch) first(part, block int) bool {
	first, _ := b.part(part)
	return block == first
}

// maxParts bounds the memory of the parts' sums and the work of adding them up. More goroutines than that do
// not help the backward pass of a lattice.
const maxParts = 4

// part returns the blocks [first, end) of part i.
func (b *batch) part(i int) (first, end int) {
	return i * b.blocks / b.parts, (i + 1) * b.blocks / b.parts
}

// perWorker returns a slice of n float32s for each worker.
func (b *batch) perWorker(n int) [][]float32 {
	s := make([][]float32, b.size())
	for i := range s {
		s[i] = make([]float32, n)
	}
	return s
}

// layer is a layer of the network in training: the kernels of its two passes, and the gradients of its
// parameters.
//
// A lattice has many squares to a block and few weights: each part sums its own gradient, and the sums are
// added up. A dense layer has one square to a block and many weights: the gradients of its outputs are kept
// for the whole batch, cut into chunks of outputs, and each chunk is summed over the batch at once.
type layer struct {
	*net.Layer
	batch    *batch
	forward  *simd.Conv
	backward *simd.Conv // nil where the gradient of the input is not asked for

	sums  []*simd.ConvGrad // [part] of a lattice, [chunk] of a dense layer
	bias  [][]float32      // [part], nil without bias
	kept  []float32        // dense: gradient of the outputs, [chunk][block][width][simd.Lanes]
	width int              // dense: outputs in a chunk
	chunk [][]float32      // dense, more than one chunk: its weights' gradient, [chunk][In*width]

	weightGrad, biasGrad         *tensor.Dense // the results; biasGrad nil without bias
	weightGradData, biasGradData []float32
}

// newLayer returns a layer with a bias of the given shape, nil for none. inputs says of how many of its first
// inputs the gradient will be asked, a multiple of 8.
func newLayer(b *batch, l *net.Layer, bias tensor.Shape, inputs int) *layer {
	t := &layer{
		Layer:      l,
		batch:      b,
		forward:    simd.NewConv(b.level, l.Lattice, l.In, l.Out),
		weightGrad: newTensor(l.Lattice.Taps, l.In, l.Out),
	}
	t.weightGradData = floats(t.weightGrad)
	if inputs > 0 {
		t.backward = simd.NewConv(b.level, l.Lattice, l.Out, inputs)
	}
	if bias != nil {
		t.biasGrad = newTensor(bias...)
		t.biasGradData = floats(t.biasGrad)
		for range b.parts {
			t.bias = append(t.bias, make([]float32, len(t.biasGradData)))
		}
	}
	if !t.dense() {
		for range b.parts {
			t.sums = append(t.sums, simd.NewConvGrad(b.level, l.Lattice, l.In, l.Out))
		}
		return t
	}
	chunks := 8
	for chunks > 1 && (l.Out%(8*chunks) != 0 || l.Out/chunks < 32) {
		chunks /= 2
	}
	t.width = l.Out / chunks
	t.kept = make([]float32, b.blocks*t.outSize())
	for range chunks {
		t.sums = append(t.sums, simd.NewConvGrad(b.level, l.Lattice, l.In, t.width))
		if chunks > 1 {
			t.chunk = append(t.chunk, make([]float32, l.In*t.width))
		}
	}
	return t
}

// dense reports whether the layer is one, over a single square.
func (l *layer) dense() bool { return l.Lattice.Squares == 1 }

// inSize and outSize return the lengths of an input and an output block.
func (l *layer) inSize() int  { return l.Lattice.Squares * l.In * simd.Lanes }
func (l *layer) outSize() int { return l.Lattice.Squares * l.Out * simd.Lanes }

// reset makes the sums of a part zero.
func (l *layer) reset(part int) {
	if !l.dense() {
		l.sums[part].Reset()
	}
	if l.bias != nil {
		clear(l.bias[part])
	}
}

// add takes in block b, of the given part: src is its input, dout the gradient of its output before the
// activation function.
func (l *layer) add(part, b int, src, dout []float32) {
	if l.bias != nil {
		bias := l.bias[part]
		simd.SumLanes(l.batch.level, bias, dout, len(dout)/(len(bias)*simd.Lanes))
	}
	if !l.dense() {
		l.sums[part].Add(src, dout)
		return
	}
	n := l.width * simd.Lanes
	for c := range l.sums {
		copy(l.kept[(c*l.batch.blocks+b)*n:][:n], dout[c*n:])
	}
}

// reductions appends the independent pieces of work of turning the sums into gradients. src is the input of the
// whole batch for a dense layer; a lattice needs none.
func (l *layer) reductions(dst []func(), src []float32) []func() {
	pieces := 1
	if l.dense() {
		pieces = len(l.sums)
	}
	for i := range pieces {
		dst = append(dst, func() { l.reduce(i, src) })
	}
	return dst
}

// reduce does piece i of them.
func (l *layer) reduce(i int, src []float32) {
	if i == 0 && l.bias != nil {
		copy(l.biasGradData, l.bias[0])
		for _, b := range l.bias[1:] {
			simd.Axpy(l.batch.level, l.biasGradData, 1, b)
		}
	}
	if !l.dense() {
		l.sums[0].Sum(l.weightGradData, l.sums[1:]...)
		return
	}
	sum := l.sums[i]
	sum.Reset()
	sum.AddBlocks(src, row(l.kept, len(l.sums), i), l.batch.blocks)
	if l.chunk == nil {
		sum.Sum(l.weightGradData)
		return
	}
	sum.Sum(l.chunk[i])
	for in := range l.In {
		copy(l.weightGradData[in*l.Out+i*l.width:][:l.width], l.chunk[i][in*l.width:])
	}
}

// gradients appends the nodes of the parameters' gradients, which are there once node has been computed.
func (l *layer) gradients(dst gorgonia.Nodes, node *gorgonia.Node) (gorgonia.Nodes, error) {
	w, err := newPart("gradient of "+l.Weight(), l.weightGrad, node)
	if err != nil {
		return nil, err
	}
	dst = append(dst, w)
	if l.biasGrad == nil {
		return dst, nil
	}
	b, err := newPart("gradient of "+l.Bias(), l.biasGrad, node)
	if err != nil {
		return nil, err
	}
	return append(dst, b), nil
}
