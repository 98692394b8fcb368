package net

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"damier/internal/simd"
	"damier/mcts"
	"damier/rules"
)

// ErrNotFinite is wrapped by the error of [Evaluator.Evaluate] when the network gives infinities or NaNs:
// its weights have diverged.
var ErrNotFinite = errors.New("network output is not finite")

var _ mcts.Evaluator = (*Evaluator)(nil)

// Evaluator judges positions with a model on the kernels of internal/simd. It implements mcts.Evaluator for
// any number of leaves: blocks of simd.Lanes first, and the rest, if it is small, one by one, so that a leaf
// costs much the same however many there are. It belongs to one goroutine at a time and starts none.
//
// Outputs do not depend on the lane a leaf falls in nor on the leaves beside it. They are the same at every
// run on one level; levels differ by rounding.
type Evaluator struct {
	level  simd.Level
	model  *Model // as given, for comparison only: weights are copied
	arch   *Architecture
	encode *Encoder

	stem     *simd.Conv
	stemBias []float32 // [squares][channel][Lanes], the same in all lanes
	blocks   []evaluatorBlock
	policy   evaluatorLayer
	hidden   evaluatorLayer
	out      evaluatorLayer // outputs padded with zeros to outWidth

	x        []float32 // input, see Encoder.Encode
	h, t     []float32 // trunk, [squares][channel][Lanes]
	mean     []float32 // of h, [channel][Lanes]
	bias     []float32 // pooled bias, [channel][Lanes]
	moves    []float32 // policy outputs, [square][PolicyChannels][Lanes]
	features []float32 // of the value head, [channel + Counts][Lanes]
	counts   []float32 // [Planes][Lanes]
	value    []float32 // hidden layer of the value head
	wdl      []float32 // [outWidth][Lanes]

	board *boardNetwork // for leaves one by one
	alone int           // the largest rest that it takes

	int8 *int8Network // with Int8 it takes every leaf, one by one, and there is nothing of the above; else nil

	stats EvaluatorStats
}

// outWidth is 3 rounded up to what a kernel takes.
const outWidth = 8

// paddedOut returns the last layer with outWidth outputs.
func (a *Architecture) paddedOut() *Layer {
	l := a.Out
	l.Out = outWidth
	return &l
}

// padOut returns the weights of m for it.
func (a *Architecture) padOut(m *Model) []float32 {
	padded := make([]float32, a.Out.In*outWidth)
	weights := m.Param(a.Out.Weight())
	for i := range a.Out.In {
		copy(padded[i*outWidth:], weights[i*a.Out.Out:][:a.Out.Out])
	}
	return padded
}

// evaluatorLayer is a layer ready for its kernel.
type evaluatorLayer struct {
	conv *simd.Conv
	bias []float32
}

type evaluatorBlock struct {
	global        *simd.Conv // or nil
	first, second evaluatorLayer
}

// EvaluatorStats counts what an Evaluator has done.
type EvaluatorStats struct {
	Blocks int64 // blocks computed
	Boards int64 // boards computed one by one
	Leaves int64 // positions evaluated
}

// Fill returns the share of the computed boards that held a position, in [0,1]; 0 before the first one. A block
// always computes simd.Lanes.
func (s EvaluatorStats) Fill() float64 {
	if s.Leaves == 0 {
		return 0
	}
	return float64(s.Leaves) / float64(s.Blocks*simd.Lanes+s.Boards)
}

// NewEvaluator returns an evaluator of m on the given level, simd.Best() as a rule. It copies the weights.
// It is an error if the machine cannot run the level.
func NewEvaluator(m *Model, level simd.Level) (*Evaluator, error) {
	if !slices.Contains(simd.Levels(), level) {
		return nil, fmt.Errorf("net: this machine cannot run simd level %q", level)
	}
	a, err := NewArchitecture(m.Variant, m.Config)
	if err != nil {
		return nil, err
	}
	e := &Evaluator{level: level, arch: a, encode: NewEncoder(m.Variant, m.Config)}
	layer := func(l *Layer) evaluatorLayer {
		e := evaluatorLayer{conv: simd.NewConv(level, l.Lattice, l.In, l.Out)}
		if l.bias != nil {
			e.bias = make([]float32, l.Out)
		}
		return e
	}
	squares, width := a.Stem.Lattice.Squares, a.Stem.Out
	e.stem = layer(&a.Stem).conv
	e.stemBias = make([]float32, squares*width*simd.Lanes)
	for _, b := range a.Blocks {
		block := evaluatorBlock{first: layer(b.First), second: layer(b.Second)}
		if b.Global != nil {
			block.global = layer(b.Global).conv
		}
		e.blocks = append(e.blocks, block)
	}
	e.policy, e.hidden = layer(&a.Policy), layer(&a.Hidden)
	e.out = layer(a.paddedOut())

	e.x = make([]float32, e.encode.Len())
	e.h = make([]float32, squares*width*simd.Lanes)
	e.t = make([]float32, squares*width*simd.Lanes)
	e.mean = make([]float32, width*simd.Lanes)
	e.bias = make([]float32, width*simd.Lanes)
	e.moves = make([]float32, a.Squares*a.PolicyChannels()*simd.Lanes)
	e.features = make([]float32, a.Hidden.In*simd.Lanes)
	e.counts = make([]float32, a.Planes*simd.Lanes)
	e.value = make([]float32, a.Hidden.Out*simd.Lanes)
	e.wdl = make([]float32, outWidth*simd.Lanes)
	e.board, e.alone = newBoardNetwork(a, e.encode, level), mostAlone(m.Config.Arch, level)
	e.model = m
	return e, e.SetModel(m)
}

// SetModel goes on with the weights of m as they are now. It is an error, and changes nothing, if m is of
// another network or variant than the evaluator was made for.
func (e *Evaluator) SetModel(m *Model) error {
	if !e.model.sameNetwork(m) {
		return fmt.Errorf("net: evaluator of a %s for %s cannot take a %s for %s: %w", e.model, e.model.Variant, m, m.Variant, ErrForeign)
	}
	if e.int8 != nil {
		q, err := Quantize(m, nil)
		if err != nil {
			return err
		}
		e.model = q.model
		e.int8.set(q)
		return nil
	}
	e.model = m
	a := e.arch
	set := func(l evaluatorLayer, of *Layer) {
		l.conv.Pack(m.Param(of.Weight()))
		copy(l.bias, m.Param(of.Bias()))
	}
	e.stem.Pack(m.Param(a.Stem.Weight()))
	for i, b := range m.Param(a.Stem.Bias()) {
		lanes := e.stemBias[i*simd.Lanes:][:simd.Lanes]
		for j := range lanes {
			lanes[j] = b
		}
	}
	for i, b := range a.Blocks {
		if b.Global != nil {
			e.blocks[i].global.Pack(m.Param(b.Global.Weight()))
		}
		set(e.blocks[i].first, b.First)
		set(e.blocks[i].second, b.Second)
	}
	set(e.policy, &a.Policy)
	set(e.hidden, &a.Hidden)

	padded := a.padOut(m)
	e.out.conv.Pack(padded)
	copy(e.out.bias, m.Param(a.Out.Bias()))
	e.board.set(m, padded)
	return nil
}

// Stats returns what the evaluator has done since it was made.
func (e *Evaluator) Stats() EvaluatorStats { return e.stats }

// Evaluate fills Priors and Value of the leaves. Priors must be as long as Moves, and there must be a move.
// It does not allocate, looks at ctx before every block or board and returns its error, or one that wraps
// ErrNotFinite.
func (e *Evaluator) Evaluate(ctx context.Context, leaves []mcts.Leaf) error {
	for len(leaves) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := 1
		moves, wdl, lanes, channels := e.moves, e.wdl, 1, e.arch.PolicyChannels()
		switch {
		case e.int8 != nil:
			e.encode.encodeBoard(e.int8.x, leaves[0].Position, leaves[0].Occurrences)
			e.int8.forward()
			moves, wdl, channels = e.int8.moves, e.int8.wdl, e.int8.policy.out
			e.stats.Boards++
		case len(leaves) <= e.alone:
			e.encode.encodeBoard(e.board.x, leaves[0].Position, leaves[0].Occurrences)
			e.board.forward()
			moves, wdl = e.board.moves, e.board.wdl
			e.stats.Boards++
		default:
			n, lanes = min(len(leaves), simd.Lanes), simd.Lanes
			for i := range leaves[:n] {
				e.encode.Encode(e.x, i, leaves[i].Position, leaves[i].Occurrences)
			}
			e.forward(nil)
			e.stats.Blocks++
		}
		for i := range leaves[:n] {
			if !e.readPolicy(moves[i:], lanes, channels*lanes, &leaves[i]) || !readValue(wdl[i:], lanes, &leaves[i].Value) {
				return fmt.Errorf("net: generation %d of run %q: %w", e.model.Generation, e.model.Run, ErrNotFinite)
			}
		}
		e.stats.Leaves += int64(n)
		leaves = leaves[n:]
	}
	return nil
}

// forward computes moves and wdl of a block from x: the formulas of Architecture, in their order. It shows watch, which
// may be nil, what comes out of each ReLU of the trunk, counted from 0.
func (e *Evaluator) forward(watch func(activation int, values []float32)) {
	a := e.arch
	squares := a.Stem.Lattice.Squares
	if watch == nil {
		watch = func(int, []float32) {}
	}
	e.stem.Forward(e.h, e.x, nil, e.stemBias, true)
	watch(0, e.h)
	for i, b := range e.blocks {
		if b.global == nil {
			b.first.conv.Forward(e.t, e.h, b.first.bias, nil, true)
		} else {
			simd.SumSquares(e.level, e.mean, e.h, squares)
			simd.Scale(e.level, e.mean, 1/float32(squares), e.mean)
			b.global.Forward(e.bias, e.mean, nil, nil, false)
			simd.Broadcast(e.level, e.t, e.bias, squares, 1)
			b.first.conv.Forward(e.t, e.h, b.first.bias, e.t, true)
		}
		watch(1+2*i, e.t)
		b.second.conv.Forward(e.h, e.t, b.second.bias, e.h, true)
		watch(2+2*i, e.h)
	}
	e.policy.conv.Forward(e.moves, e.h, e.policy.bias, nil, false)

	pooled := e.features[:a.Stem.Out*simd.Lanes]
	simd.SumSquares(e.level, pooled, e.h, squares)
	simd.Scale(e.level, pooled, a.PoolScale, pooled)
	if a.Counts > 0 {
		simd.SumSquares(e.level, e.counts, e.x[:a.Squares*a.Planes*simd.Lanes], a.Squares)
		simd.Scale(e.level, e.features[len(pooled):], a.CountScale, e.counts[:a.Counts*simd.Lanes])
	}
	e.hidden.conv.Forward(e.value, e.features, e.hidden.bias, nil, true)
	e.out.conv.Forward(e.wdl, e.value, e.out.bias, nil, false)
}

// readPolicy writes the priors of a leaf, whose policy outputs are those of outputs that lie so many lanes apart, those of
// a square stride after those of the one before; false if they are not finite.
func (e *Evaluator) readPolicy(outputs []float32, lanes, stride int, leaf *mcts.Leaf) bool {
	if len(leaf.Moves) == 0 || len(leaf.Priors) != len(leaf.Moves) {
		panic("net: leaf without moves, or with priors of another length")
	}
	rank := e.arch.PolicyRank
	var a [maxRank]float32 // A of the square from
	from := rules.NoSquare
	highest := float32(0)
	for i, m := range leaf.Moves {
		if m.From != from { // moves come sorted by From
			from = m.From
			column := outputs[e.encode.Index(leaf.Position.Turn, from)*stride:]
			for j := range a[:rank] {
				a[j] = column[j*lanes]
			}
		}
		column := outputs[e.encode.Index(leaf.Position.Turn, m.To)*stride:]
		logit := column[(2*rank+1)*lanes]
		column = column[rank*lanes:]
		for j, x := range a[:rank] {
			logit += float32(x * column[j*lanes]) // not fused: the same on all machines
		}
		for captured := m.Captured(); !captured.Empty(); {
			s := e.encode.Index(leaf.Position.Turn, e.encode.board.Pop(&captured))
			logit += outputs[s*stride+2*rank*lanes]
		}
		leaf.Priors[i] = logit
		if i == 0 || logit > highest {
			highest = logit
		}
	}
	sum := float32(0)
	for i, logit := range leaf.Priors {
		p := exp(logit - highest)
		leaf.Priors[i] = p
		sum += p
	}
	for i := range leaf.Priors {
		leaf.Priors[i] /= sum
	}
	return sum >= 1
}

// readValue writes the value of a leaf, whose logits lie so many lanes apart; false if it is not finite.
func readValue(wdl []float32, lanes int, value *rules.WDL) bool {
	win, draw, loss := wdl[0], wdl[lanes], wdl[2*lanes]
	highest := max(win, draw, loss)
	win, draw, loss = exp(win-highest), exp(draw-highest), exp(loss-highest)
	sum := win + draw + loss
	*value = rules.WDL{Win: win / sum, Draw: draw / sum, Loss: loss / sum}
	return sum >= 1
}
