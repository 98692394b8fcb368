package mcts

import (
	"context"
	"slices"

	"damier/rules"
)

// desk is what one goroutine evaluates leaves with. It does not touch the tree, so another goroutine
// may hold it.
type desk struct {
	variant   *rules.Variant
	evaluator Evaluator
	scout     *combinations // nil if no batch has scoutings

	leaves []Leaf
	moves  []rules.Move
	priors []float32 // of the leaves, and values
}

// evaluate answers b.
func (d *desk) evaluate(ctx context.Context, b *batch) {
	a := &b.answer
	a.values, a.seeds, a.found, a.err = a.values[:0], a.seeds[:0], a.found[:0], nil
	for i := range b.scoutings {
		x := &b.scoutings[i]
		best, ok := d.scout.find(x.position, x.offers)
		if !ok {
			best = -1
		}
		a.found = append(a.found, best)
	}
	d.list(b.positions)
	if len(d.leaves) == 0 {
		return
	}
	if a.err = d.evaluator.Evaluate(ctx, d.leaves); a.err != nil {
		return
	}
	for i := range d.leaves {
		d.pack(a, &d.leaves[i])
	}
}

// list makes the leaves of the positions.
func (d *desk) list(positions []rules.Position) {
	d.leaves, d.moves, d.priors = d.leaves[:0], d.moves[:0], d.priors[:0]
	for _, p := range positions {
		// If memory grows here, the leaves before keep their part of the old array.
		first, begin := len(d.moves), len(d.priors)
		d.moves = d.variant.AppendMoves(d.moves, p)
		count := len(d.moves) - first
		d.priors = slices.Grow(d.priors, 2*count)[:begin+2*count]
		clear(d.priors[begin:])
		d.leaves = append(d.leaves, Leaf{
			Position: p,
			Moves:    d.moves[first:len(d.moves):len(d.moves)],
			Priors:   d.priors[begin : begin+count : begin+count],
			Values:   d.priors[begin+count : begin+2*count : begin+2*count],
		})
	}
}

// pack checks the evaluation of a leaf and appends it to a.
func (d *desk) pack(a *answer, l *Leaf) {
	if len(l.Priors) != len(l.Moves) {
		panic("mcts: evaluation with another number of priors than moves")
	}
	sum := float32(0)
	for _, p := range l.Priors {
		sum += p
	}
	if w := l.Value; !(sum > 0.99 && sum < 1.01) || !(w.Win >= 0 && w.Draw >= 0 && w.Loss >= 0) ||
		!(w.Win+w.Draw+w.Loss > 0.99 && w.Win+w.Draw+w.Loss < 1.01) {
		panic("mcts: evaluation out of range")
	}
	value := l.Value
	if value.Score() > 1 { // rounding must not carry a mean out of [0,1]
		value = rules.WDL{Win: 1}
	}
	a.values = append(a.values, value)
	for i := range l.Moves {
		a.seeds = append(a.seeds, seed{packPrior(l.Priors[i]), packValue(l.valueOf(i))})
	}
}

// valueOf returns the evaluator's value of move i, or unknown.
func (l *Leaf) valueOf(i int) float32 {
	if !l.Valued {
		return unknown
	}
	q := l.Values[i]
	if !(q >= 0 && q <= 1) {
		panic("mcts: the value of a move is out of range")
	}
	return q
}
