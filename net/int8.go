package net

import (
	"fmt"
	"math"
	"slices"

	"damier/internal/simd"
)

// NewEvaluator returns an evaluator of the network in integers. It is an error if the machine cannot run the level. Its
// SetModel quantises the new model.
func (q *Quantized) NewEvaluator(level simd.Level) (*Evaluator, error) {
	if !slices.Contains(simd.Levels(), level) {
		return nil, fmt.Errorf("net: this machine cannot run simd level %q", level)
	}
	e := &Evaluator{
		level: level, arch: q.arch, model: q.model,
		encode: NewEncoder(q.model.Variant, q.model.Config),
		alone:  math.MaxInt,
	}
	e.int8 = newInt8Network(q, e.encode, level)
	e.int8.set(q)
	return e, nil
}

// int8Network computes a Quantized for one position: the formulas of Architecture in the arithmetic described there.
type int8Network struct {
	level simd.Level
	arch  *Architecture
	width int // channels of the trunk in integers

	stem        int8Layer
	blocks      []int8Block
	policy      int8Layer
	hidden, out boardLayer

	x        []float32 // input, [square][plane]
	planes   []uint8   // the same in integers
	h, t     []uint8   // trunk, [square][width]
	last     float32   // the scale of h at the end
	sums     []int32   // of h over the squares, [width]
	mean     []float32 // of h, [channel]
	global   []float32 // outputs of the global layer, [channel]
	bias     []int32   // pooled bias, [width]
	moves    []float32 // policy outputs, [square][a multiple of simd.Int8Step]
	features []float32 // of the value head
	counts   []float32
	value    []float32
	wdl      []float32
}

type int8Layer struct {
	*quantizedLayer
	conv *simd.Int8Conv
}

type int8Block struct {
	global        *simd.BoardConv // or nil
	scale         float32         // of h before the block
	first, second int8Layer
	ratio         float32
}

func newInt8Network(q *Quantized, encode *Encoder, level simd.Level) *int8Network {
	a := q.arch
	n := &int8Network{level: level, arch: a, width: int8Channels(a.Stem.Out)}
	layer := func(l *Layer) int8Layer {
		return int8Layer{conv: simd.NewInt8Conv(level, l.Lattice, int8Channels(l.In), int8Channels(l.Out))}
	}
	n.stem, n.policy = layer(&a.Stem), layer(&a.Policy)
	for _, b := range a.Blocks {
		block := int8Block{first: layer(b.First), second: layer(b.Second)}
		if b.Global != nil {
			block.global = simd.NewBoardConv(level, b.Global.Lattice, b.Global.In, b.Global.Out)
		}
		n.blocks = append(n.blocks, block)
	}
	n.hidden, n.out = newBoardLayer(level, &a.Hidden), newBoardLayer(level, a.paddedOut())

	n.x = make([]float32, encode.Len()/simd.Lanes)
	n.planes = make([]uint8, a.Squares*int8Channels(a.Planes))
	n.h = make([]uint8, a.Squares*n.width)
	n.t = make([]uint8, a.Squares*n.width)
	n.sums = make([]int32, n.width)
	n.mean = make([]float32, a.Stem.Out)
	n.global = make([]float32, a.Stem.Out)
	n.bias = make([]int32, n.width)
	n.moves = make([]float32, a.Squares*int8Channels(a.PolicyChannels()))
	n.features = make([]float32, a.Hidden.In)
	n.counts = make([]float32, a.Planes)
	n.value = make([]float32, a.Hidden.Out)
	n.wdl = make([]float32, outWidth)
	return n
}

// set goes on with another network of the same shape.
func (n *int8Network) set(q *Quantized) {
	a := n.arch
	set := func(l *int8Layer, of *quantizedLayer) {
		l.quantizedLayer = of
		l.conv.Pack(of.weights)
	}
	set(&n.stem, &q.stem)
	n.last = q.scales[0]
	for i := range n.blocks {
		b := &n.blocks[i]
		if b.global != nil {
			b.global.Pack(q.model.Param(a.Blocks[i].Global.Weight()))
		}
		set(&b.first, &q.blocks[i].first)
		set(&b.second, &q.blocks[i].second)
		b.scale, b.ratio = n.last, q.blocks[i].ratio
		n.last = q.scales[2+2*i]
	}
	set(&n.policy, &q.policy)
	n.hidden.set(q.model, &a.Hidden)
	n.out.conv.Pack(a.padOut(q.model))
	copy(n.out.bias, q.model.Param(a.Out.Bias()))
}

// forward computes moves and wdl from x.
func (n *int8Network) forward() {
	a := n.arch
	step := int8Channels(a.Planes)
	for s := range a.Squares {
		to := n.planes[s*step:][:a.Planes]
		for i, x := range n.x[s*a.Planes:][:a.Planes] {
			to[i] = uint8(float32(x*simd.Int8Most) + 0.5)
		}
	}
	n.stem.conv.Forward(n.h, n.planes, n.stem.bias, n.stem.scale, nil, 0)
	for i := range n.blocks {
		b := &n.blocks[i]
		bias := b.first.bias
		if b.global != nil {
			simd.Int8Sum(n.level, n.sums, n.h, a.Squares)
			mean := b.scale / float32(a.Squares)
			for c := range n.mean {
				n.mean[c] = float32(n.sums[c]) * mean
			}
			b.global.Forward(n.global, n.mean, nil, nil, false)
			bias = n.bias
			for c, g := range n.global {
				bias[c] = b.first.bias[c] + int32(math.RoundToEven(float64(g/b.first.unit[c])))
			}
		}
		b.first.conv.Forward(n.t, n.h, bias, b.first.scale, nil, 0)
		b.second.conv.Forward(n.h, n.t, b.second.bias, b.second.scale, n.h, b.ratio)
	}
	n.policy.conv.ForwardFloat(n.moves, n.h, n.policy.bias, n.policy.scale)

	simd.Int8Sum(n.level, n.sums, n.h, a.Squares)
	pool := n.last * a.PoolScale
	for c := range a.Stem.Out {
		n.features[c] = float32(n.sums[c]) * pool
	}
	if a.Counts > 0 {
		simd.SumSquares(n.level, n.counts, n.x[:a.Squares*a.Planes], a.Squares)
		simd.Scale(n.level, n.features[a.Stem.Out:], a.CountScale, n.counts[:a.Counts])
	}
	n.hidden.conv.Forward(n.value, n.features, n.hidden.bias, nil, true)
	n.out.conv.Forward(n.wdl, n.value, n.out.bias, nil, false)
}
