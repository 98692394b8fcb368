package net

import (
	"fmt"
	"math"
	"slices"

	"damier/rules"
)

// Reference is the whole network in float64 and plain loops, written from the formulas and the rules alone:
// it shares neither kernels nor encoder nor layers with what it checks. It is slow. Params may be changed
// between calls, to take differences. It belongs to one goroutine at a time.
type Reference struct {
	Params map[string][]float64 // weights by name

	variant *rules.Variant
	config  Config
}

// ReferenceOutput is what a network says of one position.
type ReferenceOutput struct {
	Logits []float64  // one for each move
	Priors []float64  // their softmax
	Value  [3]float64 // logits of win, draw, loss
	WDL    [3]float64 // their softmax
}

// NewReference returns the twin of m with a copy of its weights.
func NewReference(m *Model) *Reference {
	r := &Reference{Params: map[string][]float64{}, variant: m.Variant, config: m.Config.For(m.Variant)}
	for _, p := range m.Params {
		for _, x := range p.Data {
			r.Params[p.Name] = append(r.Params[p.Name], float64(x))
		}
	}
	return r
}

// Forward judges a position, as Evaluator does.
func (r *Reference) Forward(p rules.Position, occurrences int, moves []rules.Move) ReferenceOutput {
	x := r.planes(p, occurrences)
	var h [][]float64
	if r.config.Arch == MLP {
		h = [][]float64{relu(r.dense("stem", r.flat(x)))}
	} else {
		h = r.trunk(x)
	}

	value := make([]float64, len(h[0]))
	for _, square := range h {
		for c, v := range square {
			if r.config.Arch == MLP {
				value[c] = v
			} else {
				value[c] += v / 5
			}
		}
	}
	if !r.config.NoValueCounts {
		counts := make([]float64, 4)
		for _, square := range x {
			for c := range counts {
				counts[c] += square[c] / 5
			}
		}
		value = append(value, counts...)
	}
	value = r.dense("value.out", relu(r.dense("value.hidden", value)))

	out := ReferenceOutput{Logits: r.logits(r.policy(h), p.Turn, moves), Value: [3]float64(value)}
	out.Priors = softmax(out.Logits)
	out.WDL = [3]float64(softmax(value))
	return out
}

// planes returns the input as [square][plane], looking at the board square by square.
func (r *Reference) planes(p rules.Position, occurrences int) [][]float64 {
	v := r.variant
	own, ownKing, their, theirKing := rules.WhiteMan, rules.WhiteKing, rules.BlackMan, rules.BlackKing
	if p.Turn == rules.Black {
		own, ownKing, their, theirKing = their, theirKing, own, ownKing
	}
	d := &v.Draws
	part := func(n uint8, of ...int) float64 {
		if longest := slices.Max(of); longest > 0 {
			return math.Min(float64(n)/float64(longest), 1)
		}
		return 0
	}
	x := make([][]float64, v.Board.Squares())
	for i := range x {
		s := rules.Square(i + 1)
		if p.Turn == rules.Black {
			s = v.Board.Rotate(s)
		}
		x[i] = make([]float64, 8)
		for plane, piece := range []rules.Piece{own, ownKing, their, theirKing} {
			if v.Piece(p, s) == piece {
				x[i][plane] = 1
			}
		}
		x[i][4] = 1
		x[i][5] = part(p.Quiet, d.KingPlies)
		x[i][6] = part(p.Endgame, d.ThreePieces, d.TwoPieces, d.LongDiagonal, d.ManyKings, d.MainRoad, d.TwoKings,
			d.OneKing, d.FourPieces, d.SixPieces)
		x[i][7] = part(uint8(occurrences-1), d.Repetition-1)
		if d.MainRoad > 0 {
			x[i] = append(x[i], part(p.Road, d.MainRoad))
		}
		if v.KingMoveLimit > 0 {
			for _, c := range [2]rules.Color{p.Turn, p.Turn.Opponent()} {
				n, king := p.KingMoves(c)
				if n == 0 || king != s {
					n = 0
				}
				x[i] = append(x[i], part(uint8(n), v.KingMoveLimit))
			}
		}
	}
	return x
}

// flat returns the input of an MLP: of each square the pieces and the moves of kings, then the counters.
func (r *Reference) flat(x [][]float64) []float64 {
	counters := 8
	if r.variant.Draws.MainRoad > 0 {
		counters++
	}
	var all []float64
	for _, square := range x {
		all = append(append(all, square[:4]...), square[counters:]...)
	}
	return append(all, x[0][5:counters]...)
}

// trunk returns the lattice's activations after the last block, [square][channel].
func (r *Reference) trunk(x [][]float64) [][]float64 {
	h := r.lattice("stem", x, nil)
	for i := 1; i <= r.config.Layers/2; i++ {
		name := fmt.Sprintf("block%d", i)
		var extra [][]float64
		if i == r.config.GlobalPool {
			mean := make([]float64, len(h[0]))
			for _, square := range h {
				for c, v := range square {
					mean[c] += v / float64(len(h))
				}
			}
			bias := r.dense(name+".global", mean)
			for range h {
				extra = append(extra, bias)
			}
		}
		h = r.lattice(name+".second", r.lattice(name+".first", h, extra), h)
	}
	return h
}

// lattice returns a convolution of x plus extra, with ReLU. The stem's bias is one for each square.
func (r *Reference) lattice(name string, x, extra [][]float64) [][]float64 {
	w, bias := r.Params[name+".weight"], r.Params[name+".bias"]
	in := len(x[0])
	out := len(w) / in / r.config.Taps
	y := make([][]float64, len(x))
	for s := range x {
		y[s] = make([]float64, out)
		for o := range y[s] {
			y[s][o] = bias[(s*out+o)%len(bias)]
			if extra != nil {
				y[s][o] += extra[s][o]
			}
		}
		for tap := range r.config.Taps {
			n := r.neighbour(rules.Square(s+1), tap)
			if n == rules.NoSquare {
				continue
			}
			for i, v := range x[n-1] {
				for o := range y[s] {
					y[s][o] += v * w[(tap*in+i)*out+o]
				}
			}
		}
		relu(y[s])
	}
	return y
}

// neighbour returns the square that a tap sees from s: itself, the neighbours along the lines on which pieces
// move or capture, the diagonals first, then those at distance two. On a diagonal board the next square of a
// row or column is two away.
func (r *Reference) neighbour(s rules.Square, tap int) rules.Square {
	if tap == 0 {
		return s
	}
	b, far := r.variant.Board, 2
	if b.Corner == rules.EverySquare {
		far = 1
	}
	var steps [][2]int
	along := slices.Concat(r.variant.MoveLines, r.variant.CaptureLines)
	if slices.Contains(along, rules.NorthWest) {
		steps = append(steps, [][2]int{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}...)
	}
	if slices.Contains(along, rules.North) {
		steps = append(steps, [][2]int{{-far, 0}, {0, -far}, {0, far}, {far, 0}}...)
	}
	distance, step := 1+(tap-1)/len(steps), steps[(tap-1)%len(steps)]
	return b.At(b.Row(s)+distance*step[0], b.Column(s)+distance*step[1])
}

// policy returns the policy outputs, [square][channel].
func (r *Reference) policy(h [][]float64) [][]float64 {
	var y [][]float64
	if r.config.Arch == MLP {
		all, channels := r.dense("policy", h[0]), 2*r.config.PolicyRank+2
		for ; len(all) > 0; all = all[channels:] {
			y = append(y, all[:channels])
		}
		return y
	}
	for _, square := range h {
		y = append(y, r.dense("policy", square))
	}
	return y
}

func (r *Reference) logits(y [][]float64, turn rules.Color, moves []rules.Move) []float64 {
	rank := r.config.PolicyRank
	at := func(s rules.Square) []float64 {
		if turn == rules.Black {
			s = r.variant.Board.Rotate(s)
		}
		return y[s-1]
	}
	var logits []float64
	for _, m := range moves {
		logit := at(m.To)[2*rank+1]
		for i := range rank {
			logit += at(m.From)[i] * at(m.To)[rank+i]
		}
		for s := rules.Square(1); int(s) <= r.variant.Board.Squares(); s++ {
			if r.variant.Board.Has(m.Captured(), s) {
				logit += at(s)[2*rank]
			}
		}
		logits = append(logits, logit)
	}
	return logits
}

// dense returns a dense layer of x, with its bias if it has one.
func (r *Reference) dense(name string, x []float64) []float64 {
	w, bias := r.Params[name+".weight"], r.Params[name+".bias"]
	y := make([]float64, len(w)/len(x))
	copy(y, bias)
	for i, v := range x {
		for o := range y {
			y[o] += v * w[i*len(y)+o]
		}
	}
	return y
}

// relu puts 0 for what is negative in x, and returns x.
func relu(x []float64) []float64 {
	for i, v := range x {
		if v < 0 {
			x[i] = 0
		}
	}
	return x
}

func softmax(logits []float64) []float64 {
	highest := math.Inf(-1)
	for _, l := range logits {
		highest = math.Max(highest, l)
	}
	p := make([]float64, len(logits))
	sum := 0.0
	for i, l := range logits {
		p[i] = math.Exp(l - highest)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
