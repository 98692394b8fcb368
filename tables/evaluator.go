package tables

import (
	"math"
	"slices"

	"damier/alphabeta"
	"damier/rules"
)

// Points is the score, in the points of package alphabeta, of a logit of 1.
const Points = 128

// unit is how finely an [Evaluator] knows weights: steps in a logit of 1.
const unit = 1024

// mostWeight bounds a rounded weight, and mostScore a score: below any mate's.
const (
	mostWeight = 32000
	mostScore  = 20000
)

// rounded returns a weight in units.
func rounded(w float32) int32 {
	return int32(min(max(math.Round(float64(w)*unit), -mostWeight), mostWeight))
}

// Evaluator computes a model in integers, about a hundred nanoseconds a position. It is safe for concurrent use.
//
// Only the largest windows and kings cost it time: the entries of a smaller window are added to those of one that it lies
// in, and what a man is worth on a square, the lead among it, to those of one that sees the square.
type Evaluator struct {
	*layout
	packed []int32 // full<<16 + empty, of all features but the lead's; those of smaller windows and of men by squares are unused
}

// Evaluator returns an evaluator of the model as it is now.
func (m *Model) Evaluator() *Evaluator {
	l := m.layout
	weights := slices.Clone(m.Weights[:l.lead])
	n := l.board.Squares()
	// add adds to feature i what a piece of the own or the other side (whose) of a kind (0 men, 1 kings) is worth at a place.
	add := func(i, whose, kind, at int) {
		w, lead := m.Weights[l.squares+(2*kind+whose)*n+at], m.Weights[l.lead+kind]
		sign := float32(1 - 2*whose)
		weights[i][0] += w[0] + sign*lead[0]
		weights[i][1] += w[1] + sign*lead[1]
	}
	for _, f := range l.inner {
		m.fold(weights, f)
	}
	for at := range n {
		table, places, count := l.within([]rules.Square{rules.Square(at + 1)})
		for pattern := range count {
			switch pattern / places[0] % 3 {
			case 1:
				add(table+pattern, 0, 0, at)
			case 2:
				add(table+pattern, 1, 0, at)
			}
		}
		for whose := range 2 {
			i := l.squares + (2+whose)*n + at
			weights[i] = Weight{}
			add(i, whose, 1, at)
		}
	}
	e := &Evaluator{layout: l, packed: make([]int32, len(weights))}
	for i, w := range weights {
		e.packed[i] = rounded(w[0])<<16 + rounded(w[1])
	}
	return e
}

// fold adds the weights of every window of f to those of a larger one that it lies in.
func (m *Model) fold(weights []Weight, f *family) {
	l := m.layout
	first := f.first
	for row := 0; row+f.height <= l.rows; row += f.down {
		for column := 0; column+f.width <= l.board.Columns; column += f.right {
			table, places, count := l.within(f.squares(l.board, row, column))
			for pattern := range count {
				part := 0
				for i, place := range places {
					part += pattern / place % 3 * powers[i]
				}
				w := m.Weights[first+part]
				weights[table+pattern][0] += w[0]
				weights[table+pattern][1] += w[1]
			}
			first += f.patterns
		}
	}
}

// Score implements [alphabeta.Evaluator].
func (e *Evaluator) Score(p rules.Position) alphabeta.Score {
	c := p.Turn
	own, other := p.Men(c), p.Men(c.Opponent())
	l := e.layout
	// Of packed numbers the whole sum and that of the low halves are kept: what is left is the sum of the high ones.
	var whole, low int
	var digits [maxRows]uint64
	for _, f := range l.families {
		for w := range f.words {
			f.digits(&digits, l, c, own, other, w)
			at := f.first + w*fields*f.patterns
			across := min(fields, f.across-w*fields)
			for r := 0; r+f.height <= l.rows; r += f.down {
				sum := digits[r+f.height-1]
				for i := f.height - 2; i >= 0; i-- {
					sum = sum*f.base + digits[r+i]
				}
				tables := e.packed[at : at+across*f.patterns]
				for i := range across {
					x := tables[i*f.patterns+int(sum&(1<<field-1))]
					sum >>= field
					whole += int(x)
					low += int(int16(x))
				}
				at += f.across * f.patterns
			}
		}
	}
	ownKings, otherKings := p.Kings(c), p.Kings(c.Opponent())
	kings, others := 0, 0
	if !ownKings.Or(otherKings).Empty() {
		kings, others = ownKings.Len(), otherKings.Len()
		n := l.board.Squares()
		for i, set := range [2]rules.Set{ownKings, otherKings} {
			for !set.Empty() {
				x := e.packed[l.squares+(2+i)*n+l.seen(c, l.board.Pop(&set))]
				whole += int(x)
				low += int(int16(x))
			}
		}
	}
	a, b := own.Len(), other.Len()
	x := e.packed[l.number(a, b, kings, others)]
	whole += int(x)
	low += int(int16(x))
	full, empty := (whole-low)>>16, low
	n := min(a+b+kings+others, l.most)
	score := (full*n + empty*(l.most-n)) * Points / (l.most * unit)
	return alphabeta.Score(min(max(score, -mostScore), mostScore))
}
