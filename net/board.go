package net

import "damier/internal/simd"

// boardNetwork computes the network for one position, with output channels for lanes: what Evaluator.forward
// computes in a lane of a block, to the bit.
type boardNetwork struct {
	level simd.Level
	arch  *Architecture

	stem                *simd.BoardConv
	stemBias            []float32 // [squares][channel]
	blocks              []boardBlock
	policy, hidden, out boardLayer

	x        []float32 // input, [square][plane] and the extra values
	h, t     []float32 // trunk, [squares][channel]
	mean     []float32 // of h, [channel]
	bias     []float32 // pooled bias, [channel]
	moves    []float32 // policy outputs, [square][PolicyChannels]
	features []float32 // of the value head, [channel + Counts]
	counts   []float32 // [Planes]
	value    []float32 // hidden layer of the value head
	wdl      []float32 // [outWidth]
}

type boardLayer struct {
	conv *simd.BoardConv
	bias []float32
}

func newBoardLayer(level simd.Level, l *Layer) boardLayer {
	b := boardLayer{conv: simd.NewBoardConv(level, l.Lattice, l.In, l.Out)}
	if l.bias != nil {
		b.bias = make([]float32, l.Out)
	}
	return b
}

// set goes on with the weights that m has for the layer.
func (b boardLayer) set(m *Model, l *Layer) {
	b.conv.Pack(m.Param(l.Weight()))
	copy(b.bias, m.Param(l.Bias()))
}

type boardBlock struct {
	global        *simd.BoardConv // or nil
	first, second boardLayer
}

// mostAlone returns the largest number of positions that are computed one by one faster than as a block.
// The kernels of a lattice need hardly more for a board alone than for its part of a block, but AVX-512 has none
// of its own for boards alone. What an MLP does is to read its weights, once for a block.
func mostAlone(arch string, level simd.Level) int {
	switch {
	case level == simd.Generic:
		return simd.Lanes - 4
	case arch == MLP:
		return simd.Lanes / 4
	case level == simd.AVX512:
		return simd.Lanes / 2
	}
	return simd.Lanes - 4
}

func newBoardNetwork(a *Architecture, encode *Encoder, level simd.Level) *boardNetwork {
	n := &boardNetwork{level: level, arch: a}
	layer := func(l *Layer) boardLayer { return newBoardLayer(level, l) }
	squares, width := a.Stem.Lattice.Squares, a.Stem.Out
	n.stem = layer(&a.Stem).conv
	n.stemBias = make([]float32, squares*width)
	for _, b := range a.Blocks {
		block := boardBlock{first: layer(b.First), second: layer(b.Second)}
		if b.Global != nil {
			block.global = layer(b.Global).conv
		}
		n.blocks = append(n.blocks, block)
	}
	n.policy, n.hidden = layer(&a.Policy), layer(&a.Hidden)
	n.out = layer(a.paddedOut())

	n.x = make([]float32, encode.Len()/simd.Lanes)
	n.h = make([]float32, squares*width)
	n.t = make([]float32, squares*width)
	n.mean = make([]float32, width)
	n.bias = make([]float32, width)
	n.moves = make([]float32, a.Squares*a.PolicyChannels())
	n.features = make([]float32, a.Hidden.In)
	n.counts = make([]float32, a.Planes)
	n.value = make([]float32, a.Hidden.Out)
	n.wdl = make([]float32, outWidth)
	return n
}

// set goes on with the weights of m; out are those of its last layer, padded to outWidth.
func (n *boardNetwork) set(m *Model, out []float32) {
	a := n.arch
	n.stem.Pack(m.Param(a.Stem.Weight()))
	copy(n.stemBias, m.Param(a.Stem.Bias()))
	for i, b := range a.Blocks {
		if b.Global != nil {
			n.blocks[i].global.Pack(m.Param(b.Global.Weight()))
		}
		n.blocks[i].first.set(m, b.First)
		n.blocks[i].second.set(m, b.Second)
	}
	n.policy.set(m, &a.Policy)
	n.hidden.set(m, &a.Hidden)
	n.out.conv.Pack(out)
	copy(n.out.bias, m.Param(a.Out.Bias()))
}

// forward computes moves and wdl from x, step by step as Evaluator.forward does.
func (n *boardNetwork) forward() {
	a := n.arch
	squares := a.Stem.Lattice.Squares
	n.stem.Forward(n.h, n.x, nil, n.stemBias, true)
	for _, b := range n.blocks {
		if b.global == nil {
			b.first.conv.Forward(n.t, n.h, b.first.bias, nil, true)
		} else {
			simd.SumSquares(n.level, n.mean, n.h, squares)
			simd.Scale(n.level, n.mean, 1/float32(squares), n.mean)
			b.global.Forward(n.bias, n.mean, nil, nil, false)
			simd.Broadcast(n.level, n.t, n.bias, squares, 1)
			b.first.conv.Forward(n.t, n.h, b.first.bias, n.t, true)
		}
		b.second.conv.Forward(n.h, n.t, b.second.bias, n.h, true)
	}
	n.policy.conv.Forward(n.moves, n.h, n.policy.bias, nil, false)

	pooled := n.features[:a.Stem.Out]
	simd.SumSquares(n.level, pooled, n.h, squares)
	simd.Scale(n.level, pooled, a.PoolScale, pooled)
	if a.Counts > 0 {
		simd.SumSquares(n.level, n.counts, n.x[:a.Squares*a.Planes], a.Squares)
		simd.Scale(n.level, n.features[len(pooled):], a.CountScale, n.counts[:a.Counts])
	}
	n.hidden.conv.Forward(n.value, n.features, n.hidden.bias, nil, true)
	n.out.conv.Forward(n.wdl, n.value, n.out.bias, nil, false)
}
