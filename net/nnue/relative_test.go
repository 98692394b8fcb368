package nnue

import (
	"errors"
	"math/rand/v2"
	"testing"

	"damier/net"
	"damier/rules"
)

// TestFor: a network for a relative gives the same logit to the same pieces, seen in the mirror
// where the boards are mirrored.
func TestFor(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, pair := range [][2]*rules.Variant{
		{rules.Russian, rules.Pool}, {rules.Russian, rules.Italian}, {rules.Spanish, rules.Brazilian},
		{rules.International, rules.Killer},
	} {
		from, to := pair[0], pair[1]
		m := New(from, 64, 1)
		for i := range m.Bias {
			m.Bias[i] = float32(i) // the outputs differ
		}
		c, err := m.For(to)
		if err != nil {
			t.Fatal(err)
		}
		source := func(s rules.Square) rules.Square { return s }
		if from.Board.Corner != to.Board.Corner {
			source = func(s rules.Square) rules.Square {
				return from.Board.At(to.Board.Row(s), to.Board.Columns-1-to.Board.Column(s))
			}
		}
		for range 20 {
			p := to.Start()
			for range rng.IntN(60) {
				if moves := to.AppendMoves(nil, p); len(moves) > 0 {
					p = to.Play(p, moves[rng.IntN(len(moves))])
				}
			}
			carry := func(set rules.Set) (carried rules.Set) {
				for !set.Empty() {
					carried = carried.Or(from.Board.Set(source(to.Board.Pop(&set))))
				}
				return carried
			}
			white, black, kings := p.Sets()
			q := rules.NewPosition(carry(white), carry(black), carry(kings), p.Turn)
			if got, want := c.Logit(p), m.Logit(q); got-want > 1e-5 || want-got > 1e-5 {
				t.Errorf("%s from %s: %v for %s, of which the other says %v", to.Name, from.Name, got, to.FEN(p), want)
			}
		}
	}
}

// TestForFewerPieces: the outputs are those for as many pieces, and the weights fit the sums of a
// game with more pieces.
func TestForFewerPieces(t *testing.T) {
	m := New(rules.Frisian, 32, 1)
	for i := range m.Bias {
		m.Bias[i] = float32(i)
	}
	c, err := m.For(rules.Frysk)
	if err != nil {
		t.Fatal(err)
	}
	for k, bias := range c.Bias {
		if bias != 0 {
			t.Errorf("output %d, of at most 10 pieces, has bias %v of another number", k, bias)
		}
	}
	wide := New(rules.Frysk, 32, 1)
	wide.Hidden[5] = wide.bound()
	back, err := wide.For(rules.Frisian)
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Hidden[5]; got != back.bound() || got >= wide.bound() {
		t.Errorf("a weight of %v became %v, the bound is %v", wide.bound(), got, back.bound())
	}
}

// TestForAnotherBoard: on a larger or smaller board squares as far from the edges correspond, and
// a board whose squares are all played on is refused.
func TestForAnotherBoard(t *testing.T) {
	for _, pair := range [][2]*rules.Variant{
		{rules.International, rules.Canadian}, {rules.International, rules.Russian}, {rules.Canadian, rules.Italian},
	} {
		from, to := New(pair[0], 32, 1), pair[1]
		c, err := from.For(to)
		if err != nil {
			t.Fatal(err)
		}
		scale := float32(from.squares) / float32(c.squares)
		for s := rules.Square(1); int(s) <= c.squares; s++ {
			row, column := to.Board.Row(s), to.Board.Column(s)
			if to.Board.Corner != pair[0].Board.Corner {
				column = to.Board.Columns - 1 - column
			}
			near := func(i, size, other int) int { // of the other board, from the same edge
				if i >= size/2 {
					return other - (size - i)
				}
				return i
			}
			r, k := near(row, to.Board.Rows, pair[0].Board.Rows), near(column, to.Board.Columns, pair[0].Board.Columns)
			middle := func(i, size, other int) bool { return min(i, size-1-i) >= other/2 }
			if middle(row, to.Board.Rows, pair[0].Board.Rows) || middle(column, to.Board.Columns, pair[0].Board.Columns) {
				continue // more rows than the other board has
			}
			source := int(pair[0].Board.At(r, k))
			got, want := c.Hidden[(int(s)-1)*32], scale*from.Hidden[(source-1)*32]
			if got != want {
				t.Errorf("%s from %s: square %d has %v, want %v of square %d", to.Name, pair[0].Name, s, got, want, source)
			}
		}
	}
	for _, v := range []*rules.Variant{rules.Russian, rules.International} {
		if _, err := New(v, 32, 1).For(rules.Turkish); !errors.Is(err, net.ErrForeign) {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}

// TestPlace: the squares of one colour stay of one colour, on the board, and an edge stays an edge.
func TestPlace(t *testing.T) {
	for _, to := range []int{8, 10, 12} {
		for _, from := range []int{8, 10, 12} {
			for i := range to {
				got := place(i, to, from)
				if got < 0 || got >= from || (got+i)%2 != 0 || (i == 0 && got != 0) || (i == to-1 && got != from-1) {
					t.Errorf("row %d of %d is row %d of %d", i, to, got, from)
				}
			}
		}
	}
}
