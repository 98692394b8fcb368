package nnue

import (
	"fmt"

	"damier/net"
	"damier/rules"
)

// For returns a network for v with the weights of m, a copy that knows of v what the two games
// have in common. It is where a run of v may begin, and it is not a player of v. The boards must
// both be played on squares of one colour, or both on all squares. If their corners differ, left
// and right are exchanged. If their sizes differ, squares as far from the edges correspond, and the
// weights of the pieces become smaller as the board, on which there are more of them, becomes
// larger. An output of the copy is that of m for as many pieces, or on another board for as great a
// share of them. The error wraps [net.ErrForeign].
func (m *Model) For(v *rules.Variant) (*Model, error) {
	from, to := m.Variant.Board, v.Board
	every := rules.EverySquare
	if (from.Corner == every) != (to.Corner == every) {
		return nil, fmt.Errorf("nnue: trained for %s, whose board has other squares than that of %s: %w", m.Variant.Name, v.Name, net.ErrForeign)
	}
	c := empty(v, m.Width)
	c.Run, c.Generation, c.Games = m.Run, m.Generation, m.Games
	w := m.Width
	scale := float32(m.squares) / float32(c.squares)
	bound := c.bound() // of a game with more pieces it is smaller
	fit := func(x float32) float32 { return max(-bound, min(bound, x)) }
	for i, x := range m.Hidden[m.inputs()*w:] {
		c.Hidden[c.inputs()*w+i] = fit(x)
	}
	for s := range to.Squares() {
		row, column := to.Row(rules.Square(s+1)), to.Column(rules.Square(s+1))
		if from.Corner != to.Corner {
			column = to.Columns - 1 - column
		}
		row, column = place(row, to.Rows, from.Rows), place(column, to.Columns, from.Columns)
		source := int(from.At(row, column)) - 1
		for kind := range kinds {
			target := c.Hidden[(kind*c.squares+s)*w:][:w]
			for i, x := range m.Hidden[(kind*m.squares+source)*w:][:w] {
				target[i] = fit(scale * x)
			}
		}
	}
	for k := range Outputs {
		source := k
		if m.squares == c.squares {
			source = m.output((2*k + 1) * c.most / (2 * Outputs))
		}
		copy(c.Output[k*2*w:][:2*w], m.Output[source*2*w:][:2*w])
		c.Bias[k] = m.Bias[source]
	}
	return c, nil
}

// place returns the row or column of a board of size from that is as far from the nearer edge as i
// is on one of size to. Both sizes are even. Where to is larger, rows in the middle have the one in
// the middle whose parity is that of i.
func place(i, to, from int) int {
	half := min(to, from) / 2
	switch {
	case i < half:
		return i
	case i >= to-half:
		return i + from - to
	}
	return half - 1 + (i-half+1)&1
}
