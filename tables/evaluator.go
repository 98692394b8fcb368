package tables

import (
	"math"

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

// Evaluator computes a model in integers, some hundred nanoseconds a position. It is safe for concurrent use.
type Evaluator struct {
	*layout
	packed []int32 // of the patterns, kings and numbers: full<<16 + empty
	// men[c][whose][i][set] is the worth of a set of men on the eight bits of the board from 8i on, by the side to move
	// and whether they are its own.
	men [2][2][10][256]struct{ full, empty int32 }
}

// Evaluator returns an evaluator of the model as it is now.
func (m *Model) Evaluator() *Evaluator {
	l := m.layout
	e := &Evaluator{layout: l, packed: make([]int32, len(m.Weights))}
	for i, w := range m.Weights {
		e.packed[i] = rounded(w[0])<<16 + rounded(w[1])
	}
	n := l.board.Squares()
	worth := func(whose, kind, at int) (full, empty int32) {
		w, lead := m.Weights[l.squares+(2*kind+whose)*n+at], m.Weights[l.lead+kind]
		sign := float32(1 - 2*whose)
		return rounded(w[0] + sign*lead[0]), rounded(w[1] + sign*lead[1])
	}
	for whose := range 2 {
		for at := range n {
			full, empty := worth(whose, 1, at)
			e.packed[l.squares+(2+whose)*n+at] = full<<16 + empty
		}
		for c := range rules.Color(2) {
			for i := range e.men[c][whose] {
				for j := range 8 {
					s := l.board.SquareAt(8*i + j)
					if s == rules.NoSquare {
						continue
					}
					full, empty := worth(whose, 0, l.seen(c, s))
					for set := range 256 {
						if set>>j&1 != 0 {
							e.men[c][whose][i][set].full += full
							e.men[c][whose][i][set].empty += empty
						}
					}
				}
			}
		}
	}
	return e
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
			at := f.first + w*fields*patterns
			across := min(fields, f.across-w*fields)
			for r := 0; r+f.height <= l.rows; r += f.down {
				sum := digits[r+f.height-1]
				for i := f.height - 2; i >= 0; i-- {
					sum = sum*f.base + digits[r+i]
				}
				tables := e.packed[at : at+across*patterns]
				for i := range across {
					x := tables[i*patterns+int(sum&(1<<field-1))]
					sum >>= field
					whole += int(x)
					low += int(int16(x))
				}
				at += f.across * patterns
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
	add := func(bits uint64, whose, first, count int) {
		for i := first; i < first+count; i++ {
			x := &e.men[c][whose][i][bits&255]
			full += int(x.full)
			empty += int(x.empty)
			bits >>= 8
		}
	}
	add(own.Lo, 0, 0, 8)
	add(other.Lo, 1, 0, 8)
	if own.Hi|other.Hi != 0 {
		add(uint64(own.Hi), 0, 8, 2)
		add(uint64(other.Hi), 1, 8, 2)
	}
	n := min(a+b+kings+others, l.most)
	score := (full*n + empty*(l.most-n)) * Points / (l.most * unit)
	return alphabeta.Score(min(max(score, -mostScore), mostScore))
}
