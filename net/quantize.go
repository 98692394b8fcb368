package net

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"damier/internal/simd"
	"damier/rules"
)

// Quantized is a lattice network in integers of 8 bits. It does not change: any number of evaluators may be made of it.
//
// All activations of the trunk are outputs of a ReLU. Each of them, the input included, has a scale for the whole board,
//
//	value = scale * integer      integer in [0, 127]
//
// chosen so that 127 stands for a high percentile of the values that the network has in games; what is larger is cut off.
// Weights have a scale for each output channel. The sums of a convolution are exact, in 32 bits, and begin with the bias
// in their unit; they are rounded once, together with the residual, when they become activations again:
//
//	h, t     integers of the trunk                      scales: Scales below
//	stem     h = round(clamp(m * (bias + sum of w*x)))            m = scale(x) * scale(w) / scale(h)
//	first    t = round(clamp(m * (bias + sum of w*h)))            m = scale(h) * scale(w) / scale(t)
//	second   h = round(clamp(m * (bias + sum of w*t) + r*h))      r = scale(h before) / scale(h after)
//	policy   a float:      m * (bias + sum of w*h)                m = scale(h) * scale(w)
//
// What is small stays in float32: the layer of the global sight, whose outputs then are added to the bias of its
// convolution, and the value head behind the pooling, which is a sum of integers.
type Quantized struct {
	model  *Model // a copy
	arch   *Architecture
	scales []float32 // of the activations in their order: after the stem, then of each block t and h

	stem   quantizedLayer // with a bias for each square
	blocks []quantizedBlock
	policy quantizedLayer
}

// quantizedLayer is a convolution in integers. Its channels are those of the layer, and zeros up to a multiple of
// simd.Int8Step.
type quantizedLayer struct {
	lattice *simd.Lattice
	in, out int
	weights []int8    // [taps][in][out]
	bias    []int32   // [out], of the stem [squares][out]
	scale   []float32 // [out]: m above
	unit    []float32 // [out]: the value that 1 stands for in the sums and the bias
}

type quantizedBlock struct {
	first, second quantizedLayer
	ratio         float32 // r above
}

// Situation is a position and how often it has occurred in its game, at least once: what a network sees.
type Situation struct {
	Position    rules.Position
	Occurrences int
}

// inputScale is the scale of the input planes, which are in [0,1].
const inputScale = 1.0 / simd.Int8Most

// Quantize returns a lattice model in integers. The ranges of its activations are those they have in the situations; with
// none given it takes situations of random games, always the same.
//
// It is an error if the model is no lattice network, or its outputs are not finite.
func Quantize(m *Model, situations []Situation) (*Quantized, error) {
	if m.Config.Resolve().Arch != Lattice {
		return nil, errors.New("net: only lattice networks can be computed in int8")
	}
	m = m.Clone()
	e, err := NewEvaluator(m, simd.Best())
	if err != nil {
		return nil, err
	}
	if len(situations) == 0 {
		situations = randomSituations(m.Variant)
	}
	q := &Quantized{model: m, arch: e.arch}
	if q.scales, err = e.ranges(situations); err != nil {
		return nil, err
	}
	a := e.arch
	h := q.scales[0]
	q.stem = newQuantizedLayer(m, &a.Stem, nil, inputScale, h)
	for i, b := range a.Blocks {
		t, next := q.scales[1+2*i], q.scales[2+2*i]
		q.blocks = append(q.blocks, quantizedBlock{
			first:  newQuantizedLayer(m, b.First, b.Global, h, t),
			second: newQuantizedLayer(m, b.Second, nil, t, next),
			ratio:  h / next,
		})
		h = next
	}
	q.policy = newQuantizedLayer(m, &a.Policy, nil, h, 1)
	return q, nil
}

// int8Channels returns the channels of an integer layer for n channels.
func int8Channels(n int) int { return (n + simd.Int8Step - 1) / simd.Int8Step * simd.Int8Step }

// newQuantizedLayer returns a layer of m in integers, from activations of one scale to those of another, or to values if
// that is 1. To its bias the outputs of global are going to be added, if it is not nil, for a mean of such activations.
func newQuantizedLayer(m *Model, l, global *Layer, from, to float32) quantizedLayer {
	q := quantizedLayer{lattice: l.Lattice, in: int8Channels(l.In), out: int8Channels(l.Out)}
	weights, bias := m.Param(l.Weight()), m.Param(l.Bias())
	padded := make([]float32, l.Lattice.Taps*q.in*q.out)
	for t := range l.Lattice.Taps {
		for i := range l.In {
			copy(padded[(t*q.in+i)*q.out:], weights[(t*l.In+i)*l.Out:][:l.Out])
		}
	}
	// A bias must not be so much larger than the weights that it fills the sum.
	const most = 1 << 24
	least := make([]float32, q.out)
	for i, b := range bias {
		least[i%l.Out] = max(least[i%l.Out], abs(b)/(from*most))
	}
	if global != nil {
		for i, w := range m.Param(global.Weight()) {
			least[i%l.Out] += abs(w) * simd.Int8Most / most
		}
	}
	var scale []float32
	q.weights, scale = simd.Int8Weights(padded, l.Lattice.Taps, q.in, q.out, least)
	for _, s := range scale {
		q.unit = append(q.unit, from*s)
		q.scale = append(q.scale, from*s/to)
	}
	q.bias = make([]int32, len(bias)/l.Out*q.out)
	for i, b := range bias {
		q.bias[i/l.Out*q.out+i%l.Out] = int32(math.RoundToEven(float64(b) / float64(q.unit[i%l.Out])))
	}
	return q
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// calibration is how many situations a network is calibrated with: eight blocks.
const calibration = 8 * simd.Lanes

// randomSituations returns those of games of random moves, every seventh. They follow from the variant alone. Situations of
// games that a trained network plays give much the same ranges, and no better ones: see docs/decisions/int8.md.
func randomSituations(v *rules.Variant) []Situation {
	const every = 7
	rng := rand.New(rand.NewPCG(0x63616c69, 0x62726174))
	var all []Situation
	for {
		g := rules.NewGame(v)
		for ply := rng.IntN(every); !g.Over(); ply++ {
			if ply%every == 0 {
				if all = append(all, Situation{g.Position(), g.Occurrences()}); len(all) == calibration {
					return all
				}
			}
			legal := g.Legal()
			if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
				panic("net: a legal move is refused")
			}
		}
	}
}

// percentile is the share of the values of an activation that its scale covers. A range that is too small costs more than
// one that is too large: in games of a trained network, with 0.999 the expected score is off three times as far.
const percentile = 0.99999

// ranges returns the scales of the activations, in their order: after the stem, then of each block the inner and the
// outer one. Ranges are rounded up to steps of three per cent, so that the rounding of another level does not change them.
func (e *Evaluator) ranges(situations []Situation) ([]float32, error) {
	// The bits of positive floats are in the order of their values; the upper ones are a bin of a histogram.
	const shift = 23 - 5
	var histograms [][]int
	for len(situations) > 0 {
		n := min(len(situations), simd.Lanes)
		for i, s := range situations[:n] {
			e.encode.Encode(e.x, i, s.Position, s.Occurrences)
		}
		situations = situations[n:]
		e.forward(func(activation int, values []float32) {
			if activation == len(histograms) {
				histograms = append(histograms, make([]int, 1<<(31-shift)))
			}
			h := histograms[activation]
			for i := 0; i < len(values); i += simd.Lanes {
				for _, x := range values[i : i+n] {
					h[math.Float32bits(x)<<1>>1>>shift]++ // without the sign, which a NaN may have
				}
			}
		})
	}
	var scales []float32
	for _, h := range histograms {
		total, covered := 0, 0
		for _, n := range h {
			total += n
		}
		bin := 0
		for ; bin < len(h) && float64(covered) < percentile*float64(total); bin++ {
			covered += h[bin]
		}
		high := math.Float32frombits(uint32(bin) << shift)
		unbounded := 0 // infinite, or not a number
		for _, n := range h[math.Float32bits(float32(math.Inf(1)))>>shift:] {
			unbounded += n
		}
		if unbounded > 0 || math.IsInf(float64(high), 0) {
			return nil, fmt.Errorf("net: generation %d of run %q: %w", e.model.Generation, e.model.Run, ErrNotFinite)
		}
		scales = append(scales, max(high, 1e-6)/simd.Int8Most)
	}
	return scales, nil
}
