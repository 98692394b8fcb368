package nnue

import (
	"fmt"

	"damier/net"
	"damier/rules"
)

// For returns a network for v with the weights of m, a copy that knows of v what the two games
// have in common. It is where a run of v may begin, and it is not a player of v. The boards must
// have the same rows and columns, and playing squares of one colour both or on all squares both;
// if the corners differ, left and right are exchanged. An output of the copy is that of m for as
// many pieces. The error wraps [net.ErrForeign].
func (m *Model) For(v *rules.Variant) (*Model, error) {
	from, to := m.Variant.Board, v.Board
	every := rules.EverySquare
	if from.Rows != to.Rows || from.Columns != to.Columns || (from.Corner == every) != (to.Corner == every) {
		return nil, fmt.Errorf("nnue: trained for %s, whose board is another than that of %s: %w", m.Variant.Name, v.Name, net.ErrForeign)
	}
	c := empty(v, m.Width)
	c.Run, c.Generation, c.Games = m.Run, m.Generation, m.Games
	w := m.Width
	copy(c.Hidden[c.inputs()*w:], m.Hidden[m.inputs()*w:])
	for s := range to.Squares() {
		row, column := to.Row(rules.Square(s+1)), to.Column(rules.Square(s+1))
		if from.Corner != to.Corner {
			column = to.Columns - 1 - column
		}
		source := int(from.At(row, column)) - 1
		for kind := range kinds {
			copy(c.Hidden[(kind*c.squares+s)*w:][:w], m.Hidden[(kind*m.squares+source)*w:][:w])
		}
	}
	for k := range Outputs {
		source := m.output((2*k + 1) * c.most / (2 * Outputs))
		copy(c.Output[k*2*w:][:2*w], m.Output[source*2*w:][:2*w])
		c.Bias[k] = m.Bias[source]
	}
	bound := c.bound() // of a game with more pieces it is smaller
	for i, x := range c.Hidden {
		c.Hidden[i] = max(-bound, min(bound, x))
	}
	return c, nil
}
