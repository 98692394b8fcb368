package alphabeta

import "damier/rules"

// scorer scores positions of one variant by hand-made rules.
type scorer interface {
	// score returns the value of p for the side to move, which should have no capture.
	score(p rules.Position) Score
}

// newScorer returns the fast scorer of v if there is one, else the slow one.
func newScorer(v *rules.Variant, w weights) scorer {
	e := newEvaluator(v, w)
	if d := newDiagonal(e); d != nil {
		return d
	}
	return e
}

// evaluator is the scorer for every board. It works square by square, and is the slow twin of
// diagonal.
type evaluator struct {
	w     weights
	v     *rules.Variant
	board *rules.Geometry
	long  rules.Set // the long diagonal
	most  int       // men on the board at the start
	// By side and square:
	worth [2][rules.MaxSquares + 1]pair      // value of a man there
	steps [2][rules.MaxSquares + 1]rules.Set // squares to which a man moves from there
	ahead [2][rules.MaxSquares + 1]rules.Set // squares from which a man there can be stopped
	row   [2][rules.MaxSquares + 1]uint8     // row, 0 is the back row of the side
	left  rules.Set                          // the left half of the board
	inner rules.Set                          // squares at least two away from every edge
	next  [rules.MaxSquares + 1]rules.Set    // neighbours; each pair of squares is listed once
}

// pair is a number for the opening and one for the ending.
type pair struct{ opening, ending int }

func (p *pair) add(w [2]int, n int) {
	p.opening += w[0] * n
	p.ending += w[1] * n
}

func newEvaluator(v *rules.Variant, w weights) *evaluator {
	b := v.Board
	start := v.Start()
	e := &evaluator{w: w, v: v, board: b, most: start.Pieces(rules.White).Len() + start.Pieces(rules.Black).Len()}
	inRow := b.Squares() / b.Rows
	for s := rules.Square(1); int(s) <= b.Squares(); s++ {
		at, column := b.Set(s), b.Column(s)
		road := b.Row(s)+column == b.Rows-1
		if b.Corner == rules.BottomRight {
			road = b.Row(s) == column
		}
		edge := min(column, b.Columns-1-column)
		if road {
			e.long = e.long.Or(at)
		}
		if column < b.Columns/2 {
			e.left = e.left.Or(at)
		}
		if min(edge, b.Row(s), b.Rows-1-b.Row(s)) >= 2 {
			e.inner = e.inner.Or(at)
		}
		for _, d := range v.MoveLines {
			if t := b.Neighbour(s, d); t != rules.NoSquare && t > s {
				e.next[s] = e.next[s].Or(b.Set(t))
			}
		}
		for c := range rules.Color(2) {
			row := b.Row(s)
			if c == rules.White {
				row = b.Rows - 1 - row
			}
			e.row[c][s] = uint8(row)
			p := &e.worth[c][s]
			p.add(w.man, 1)
			p.add([2]int{w.row[0][row], w.row[1][row]}, 1)
			p.add([2]int{w.column[0][edge], w.column[1][edge]}, 1)
			if row == 0 {
				i := (int(s) - 1) % inRow
				if c == rules.Black {
					i = inRow - 1 - i
				}
				p.opening += w.guard[i]
			}
			for _, d := range v.MoveLines {
				if t := b.Neighbour(s, d); t != rules.NoSquare && !d.Backward(c) {
					e.steps[c][s] = e.steps[c][s].Or(b.Set(t))
				}
			}
			for t := rules.Square(1); int(t) <= b.Squares(); t++ {
				away := b.Row(t) - b.Row(s)
				if c == rules.White {
					away = -away
				}
				side := b.Column(t) - column
				if away > 0 && (max(side, -side) <= away || v.MoveLines[0].Orthogonal()) {
					e.ahead[c][s] = e.ahead[c][s].Or(b.Set(t))
				}
			}
		}
	}
	return e
}

func (e *evaluator) score(p rules.Position) Score {
	var sum pair
	through, men := 0, 0
	occupied := p.Pieces(rules.White).Or(p.Pieces(rules.Black))
	for c := range rules.Color(2) {
		own, their := p.Pieces(c), p.Pieces(c.Opponent())
		var side pair
		for m := p.Men(c); !m.Empty(); {
			s := e.board.Pop(&m)
			men++
			side.add([2]int{e.worth[c][s].opening, e.worth[c][s].ending}, 1)
			side.add(e.w.mobility, e.steps[c][s].AndNot(occupied).Len())
			if e.ahead[c][s].And(their).Empty() {
				through += sign(c) * e.w.through[e.row[c][s]]
			}
		}
		for t := own; !t.Empty(); {
			side.add(e.w.supported, e.next[e.board.Pop(&t)].And(own).Len())
		}
		half := 2*p.Men(c).And(e.left).Len() - p.Men(c).Len()
		side.add(e.w.balance, -max(half, -half))
		if kings := p.Kings(c); !kings.Empty() {
			side.add(e.w.king, kings.Len())
			n := e.activity(kings, occupied)
			side.add([2]int{1, 1}, n)
		}
		sum.add([2]int{side.opening, side.ending}, sign(c))
	}
	score := (sum.opening*men+sum.ending*(e.most-men))/e.most + through
	leader, other := rules.White, rules.Black
	if score < 0 {
		leader, other = other, leader
	}
	if kings := p.Kings(other); !kings.Empty() {
		few := p.Pieces(leader).Len()
		onRoad := !kings.And(e.long).Empty() && p.Pieces(leader).And(e.long).Empty()
		score /= e.w.drawish(few, few-p.Pieces(other).Len(), onRoad)
	}
	return Score(sign(p.Turn)*score + e.w.turn)
}

// sign is 1 for White, -1 for Black.
func sign(c rules.Color) int { return 1 - 2*int(c) }

// activity returns the value of kings by the squares they stand on and reach.
func (e *evaluator) activity(kings, occupied rules.Set) int {
	worth := e.w.diagonal*kings.And(e.long).Len() + e.w.centre*kings.And(e.inner).Len()
	if e.w.reach == 0 {
		return worth
	}
	for k := kings; !k.Empty(); {
		at := e.board.Pop(&k)
		for _, d := range e.v.MoveLines {
			for s := e.board.Neighbour(at, d); s != rules.NoSquare && !e.board.Has(occupied, s); s = e.board.Neighbour(s, d) {
				worth += e.w.reach
				if !e.v.KingFlies {
					break
				}
			}
		}
	}
	return worth
}

// drawish returns the divisor of a score in an ending that is hard to win: the other side has a
// king, and the side that leads has few pieces, or a lead of one piece.
func (w *weights) drawish(few, lead int, onRoad bool) int {
	switch {
	case few <= w.few:
		return 8
	case onRoad && few <= w.fewRoad:
		return 4
	case few <= w.fewLead && lead <= 1:
		return 2
	}
	return 1
}
