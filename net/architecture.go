package net

import (
	"fmt"
	"slices"

	"damier/internal/simd"
	"damier/rules"
)

// Architecture is a network as a list of layers: what inference, training and the model file build from.
// With x the input block, ReLU written r and * a convolution (dense where the lattice has one square),
//
//	h = r(Stem * x + bias)                           the bias is one for each square and channel
//	for each block:
//	    t = r(First * h + bias [+ Global * mean(h)]) the last term is the same for all squares
//	    h = r(Second * t + bias + h)
//	policy = Policy * h + bias                       [square][PolicyChannels], also from a dense layer
//	f      = (PoolScale * sum of h over its squares, CountScale * sum of the Counts piece planes of x)
//	value  = Out * r(Hidden * f + bias) + bias       logits of win, draw, loss
//
// and the logit of a move, its squares as the network sees them (see Encoder.Index), with R the PolicyRank:
//
//	sum over i < R of policy[from][i] * policy[to][R+i]
//	  + policy[to][2R+1] + sum over captured squares c of policy[c][2R]
//
// The policy is the softmax of the logits of the legal moves, the value that of the three value logits.
type Architecture struct {
	Squares int // of the board
	Planes  int // values of x for each square of the board; an MLP's x has a few more at the end

	Stem   Layer
	Blocks []Block
	Policy Layer

	PolicyRank int

	Counts     int     // piece planes of x that the value head counts: 4, or 0
	PoolScale  float32 // see above
	CountScale float32
	Hidden     Layer
	Out        Layer
}

// PolicyChannels returns the policy outputs of a square: A(from), B(to), K(captured) and P(to).
func (a *Architecture) PolicyChannels() int { return 2*a.PolicyRank + 2 }

// Block is a residual block. Global is nil but in the block with the global sight; it has no bias.
type Block struct {
	Global, First, Second *Layer
}

// Layer is a lattice convolution or a dense layer with its two parameters,
//
//	Name.weight [taps][In][Out]
//	Name.bias   [Out]; of the stem [squares][Out]; of Global none
type Layer struct {
	Name    string
	Lattice *simd.Lattice // of one square for a dense layer
	In, Out int

	bias []int   // shape, nil for none
	gain float64 // of the initial weights, times sqrt(2/inputs)
}

// Weight returns the name of the layer's weights.
func (l *Layer) Weight() string { return l.Name + ".weight" }

// Bias returns the name of the layer's bias.
func (l *Layer) Bias() string { return l.Name + ".bias" }

// poolScale makes the trunk's pooled value a sum rather than a mean: one man among 50 squares must be seen.
const poolScale = 1.0 / 5

// Initial gains. The second layer of a block begins small, so that a block begins near the identity. A policy
// and a value near flat keep the first searches from chasing the noise of random weights.
const (
	secondGain = 0.3
	policyGain = 0.35
	outGain    = 0.1
	countGain  = 0.3
	mlpGain    = 2 // of 200 inputs only some 40 are not zero
)

// NewArchitecture returns the layers of a network for a variant's board.
func NewArchitecture(v *rules.Variant, cfg Config) (*Architecture, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.For(v)
	if cfg.Arch == NNUE {
		return nil, fmt.Errorf("net: Arch %q is of package nnue", NNUE)
	}
	if most := 1 + 2*len(lines(v)); cfg.Arch == Lattice && cfg.Taps > most {
		return nil, fmt.Errorf("net: Taps %d: a square of %s has at most %d; 0 is right for every variant", cfg.Taps, v.Name, most)
	}
	in := inputsOf(v, cfg)
	a := &Architecture{
		Squares:    v.Board.Squares(),
		Planes:     in.planes,
		PolicyRank: cfg.PolicyRank,
		PoolScale:  poolScale,
		CountScale: poolScale,
		Counts:     piecePlanes,
	}
	if cfg.NoValueCounts {
		a.Counts = 0
	}
	dense := simd.Dense()
	width := cfg.Channels
	if cfg.Arch == MLP {
		width = cfg.Hidden
		a.PoolScale = 1
		inputs := in.planes*a.Squares + in.extra
		outputs := a.Squares * a.PolicyChannels()
		a.Stem = Layer{"stem", dense, inputs, width, []int{1, width}, mlpGain}
		a.Policy = Layer{"policy", dense, width, outputs, []int{outputs}, policyGain}
	} else {
		l, err := simd.NewLattice(neighbours(v, cfg.Taps))
		if err != nil {
			return nil, fmt.Errorf("net: board of %s: %w", v.Name, err)
		}
		points, err := simd.NewLattice(neighbours(v, 1))
		if err != nil {
			return nil, fmt.Errorf("net: board of %s: %w", v.Name, err)
		}
		a.Stem = Layer{"stem", l, in.planes, width, []int{a.Squares, width}, 1}
		for i := 1; i <= cfg.Layers/2; i++ {
			name := fmt.Sprintf("block%d.", i)
			b := Block{
				First:  &Layer{name + "first", l, width, width, []int{width}, 1},
				Second: &Layer{name + "second", l, width, width, []int{width}, secondGain},
			}
			if i == cfg.GlobalPool {
				b.Global = &Layer{name + "global", dense, width, width, nil, 1}
			}
			a.Blocks = append(a.Blocks, b)
		}
		a.Policy = Layer{"policy", points, width, a.PolicyChannels(), []int{a.PolicyChannels()}, policyGain}
	}
	// A sum over the squares is as much larger than a mean as the first gain takes back.
	trunk := 1 / (float64(a.PoolScale) * float64(a.Stem.Lattice.Squares))
	a.Hidden = Layer{"value.hidden", dense, width + a.Counts, cfg.ValueHidden, []int{cfg.ValueHidden}, trunk}
	a.Out = Layer{"value.out", dense, cfg.ValueHidden, 3, []int{3}, outGain}
	return a, nil
}

// Layers returns all layers in the order of their parameters.
func (a *Architecture) Layers() []*Layer {
	ls := []*Layer{&a.Stem}
	for _, b := range a.Blocks {
		if b.Global != nil {
			ls = append(ls, b.Global)
		}
		ls = append(ls, b.First, b.Second)
	}
	return append(ls, &a.Policy, &a.Hidden, &a.Out)
}

// lines returns the directions that matter to a variant, in the order of rules.EveryDirection: those in which
// its pieces move or capture.
func lines(v *rules.Variant) []rules.Direction {
	var ds []rules.Direction
	for _, d := range rules.EveryDirection {
		if slices.Contains(v.MoveLines, d) || slices.Contains(v.CaptureLines, d) {
			ds = append(ds, d)
		}
	}
	return ds
}

// neighbours returns the lattice of a variant's board: for each square itself, then its neighbours along the
// lines of the variant at distance one, then at distance two, as many as there are taps; -1 beyond the edge.
// On a diagonal board the neighbours along rows and columns are those of rules.Geometry.Neighbour, two rows or
// columns away. Indices are squares less one. The half turn of the board maps the lattice to itself with
// opposite taps.
func neighbours(v *rules.Variant, taps int) [][]int {
	rows := make([][]int, v.Board.Squares())
	for i := range rows {
		row := []int{i}
		for distance := 1; len(row) < taps; distance++ {
			for _, d := range lines(v) {
				s := rules.Square(i + 1)
				for range distance {
					if s != rules.NoSquare {
						s = v.Board.Neighbour(s, d)
					}
				}
				row = append(row, int(s)-1)
			}
		}
		rows[i] = row[:taps]
	}
	return rows
}
