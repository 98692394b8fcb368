package tui

import (
	"slices"

	"damier/notation"
	"damier/rules"
)

// way is a legal move and one path of it: the squares landed on, including from and to.
type way struct {
	move    rules.Move
	squares []rules.Square
}

// entry is a move being entered, square by square.
type entry struct {
	v    *rules.Variant
	p    rules.Position
	ways []way
	// The square of the piece and the squares it has jumped to; empty while no piece is chosen.
	walked []rules.Square
}

// newEntry returns the entry of a move of p.
func newEntry(v *rules.Variant, p rules.Position, legal []rules.Move) entry {
	e := entry{v: v, p: p}
	for _, m := range legal {
		if !m.IsCapture() {
			e.ways = append(e.ways, way{m, []rules.Square{m.From, m.To}})
			continue
		}
		for _, squares := range v.CapturePaths(p, m) {
			e.ways = append(e.ways, way{m, squares})
		}
	}
	return e
}

// movers returns the squares of the pieces that can move, ascending.
func (e *entry) movers() []rules.Square {
	var all []rules.Square
	for _, w := range e.ways {
		all = append(all, w.squares[0])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// open returns the ways that begin with the walked squares.
func (e *entry) open() []way {
	var open []way
	for _, w := range e.ways {
		if len(w.squares) > len(e.walked) && slices.Equal(w.squares[:len(e.walked)], e.walked) {
			open = append(open, w)
		}
	}
	return open
}

// targets returns the squares to which the chosen piece can go: those of its next leg, and the
// final squares beyond. Both are empty while no piece is chosen.
func (e *entry) targets() (next, final []rules.Square) {
	if len(e.walked) == 0 {
		return nil, nil
	}
	for _, w := range e.open() {
		next = append(next, w.squares[len(e.walked)])
		final = append(final, w.move.To)
	}
	for _, s := range []*[]rules.Square{&next, &final} {
		slices.Sort(*s)
		*s = slices.Compact(*s)
	}
	final = slices.DeleteFunc(final, func(s rules.Square) bool { return slices.Contains(next, s) })
	return next, final
}

// taken returns the squares of the pieces that the walked legs have captured.
func (e *entry) taken() []rules.Square {
	var all []rules.Square
	open := e.open()
	if len(open) == 0 {
		return nil
	}
	captured := open[0].move.Captured()
	for i := 1; i < len(e.walked); i++ {
		for _, s := range between(e.v.Board, e.walked[i-1], e.walked[i]) {
			if e.v.Board.Has(captured, s) && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// between returns the squares between two on a line.
func between(g *rules.Geometry, a, b rules.Square) []rules.Square {
	for _, d := range rules.EveryDirection {
		var passed []rules.Square
		for s := g.Neighbour(a, d); s != rules.NoSquare; s = g.Neighbour(s, d) {
			if s == b {
				return passed
			}
			passed = append(passed, s)
		}
	}
	return nil
}

// option is a possible answer to the question which capture is meant.
type option struct {
	text string
	move rules.Move
	step rules.Square // the next square, to continue leg by leg; move is then undefined
}

// effect is the effect of a square on an entry.
type effect uint8

const (
	refused effect = iota // no move goes there
	stepped               // a piece was chosen or released, or has made a leg
	complete
	ambiguous
)

// enter handles the next square. With complete it returns the move, with ambiguous the possible
// meanings.
func (e *entry) enter(s rules.Square) (effect, rules.Move, []option) {
	if len(e.walked) > 0 {
		if what, m, options := e.goTo(s); what != refused {
			return what, m, options
		}
		if len(e.walked) == 1 && e.walked[0] == s {
			e.walked = nil
			return stepped, rules.Move{}, nil
		}
	}
	if slices.Contains(e.movers(), s) {
		e.walked = []rules.Square{s}
		return stepped, rules.Move{}, nil
	}
	return refused, rules.Move{}, nil
}

// goTo handles a square to which the chosen piece can go.
func (e *entry) goTo(s rules.Square) (effect, rules.Move, []option) {
	// Moves that end on s after one or more legs; moves that go on from s.
	var ended, passing []rules.Move
	n := len(e.walked)
	for _, w := range e.open() {
		if w.move.To == s {
			ended = append(ended, w.move)
		} else if w.squares[n] == s {
			passing = append(passing, w.move)
		}
	}
	ended, passing = distinct(ended), distinct(passing)
	// A move that ends on s may also pass over it before.
	switch {
	case len(ended) == 0 && len(passing) == 0:
		return refused, rules.Move{}, nil
	case len(ended) == 1 && len(passing) == 0:
		return complete, ended[0], nil
	case len(ended) == 0, e.isNextOfAll(s, ended):
		e.walked = append(slices.Clone(e.walked), s)
		return stepped, rules.Move{}, nil
	}
	var options []option
	for _, m := range ended {
		options = append(options, option{text: takes(e.v, e.p, m), move: m})
	}
	if len(passing) > 0 {
		options = append(options, option{text: "go on from " + e.v.SquareName(s), step: s})
	}
	return ambiguous, rules.Move{}, options
}

// isNextOfAll reports whether all of the moves can go to s next without ending there.
func (e *entry) isNextOfAll(s rules.Square, moves []rules.Move) bool {
	n := len(e.walked)
	for _, m := range moves {
		found := false
		for _, w := range e.open() {
			found = found || w.move == m && w.squares[n] == s && len(w.squares) > n+1
		}
		if !found {
			return false
		}
	}
	return true
}

// step makes a leg chosen by an option.
func (e *entry) step(s rules.Square) { e.walked = append(slices.Clone(e.walked), s) }

// back takes back the last leg, or the choice of the piece. It returns false if there was neither.
func (e *entry) back() bool {
	if len(e.walked) == 0 {
		return false
	}
	e.walked = e.walked[:len(e.walked)-1]
	return true
}

func distinct(moves []rules.Move) []rules.Move {
	var d []rules.Move
	for _, m := range moves {
		if !slices.Contains(d, m) {
			d = append(d, m)
		}
	}
	return d
}

// takes describes what a capture takes, and its path.
func takes(v *rules.Variant, p rules.Position, m rules.Move) string {
	text := "takes "
	for i, s := range v.Board.AppendSquares(nil, m.Captured()) {
		if i > 0 {
			text += ","
		}
		text += v.SquareName(s)
	}
	return text + " by " + notation.FormatLong(v, p, m)
}
