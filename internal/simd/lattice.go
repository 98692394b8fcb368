package simd

import (
	"errors"
	"fmt"
)

// Lattice is the geometry of a convolution: the squares of a board and, for
// each, its neighbours. It is made by NewLattice or Dense and not changed
// afterwards; any number of convolutions and goroutines may share it.
type Lattice struct {
	// Squares is the number of squares, Taps the number of neighbours each
	// square has, itself included.
	Squares, Taps int

	// Neighbour is [square][tap] -> square, or -1 where the tap leaves the
	// board. Tap 0 is the square itself.
	Neighbour [][]int

	// Opposite is [tap] -> tap: a step along t followed by a step along
	// Opposite[t] comes back, wherever the first stays on the board.
	Opposite []int
}

// NewLattice returns the lattice with the given neighbours, [square][tap] ->
// square or -1. It keeps neighbour. It is an error if a row has another length
// than the first, a square is out of range, tap 0 is not the square itself, or
// a tap has no opposite.
func NewLattice(neighbour [][]int) (*Lattice, error) {
	if len(neighbour) == 0 || len(neighbour[0]) == 0 {
		return nil, errors.New("simd: lattice without squares or taps")
	}
	l := &Lattice{Squares: len(neighbour), Taps: len(neighbour[0]), Neighbour: neighbour}
	for s, row := range neighbour {
		if len(row) != l.Taps {
			return nil, fmt.Errorf("simd: lattice square %d has %d taps, want %d as square 0", s, len(row), l.Taps)
		}
		if row[0] != s {
			return nil, fmt.Errorf("simd: lattice square %d: tap 0 is %d, want the square itself", s, row[0])
		}
		for t, n := range row {
			if n < -1 || n >= l.Squares {
				return nil, fmt.Errorf("simd: lattice square %d, tap %d: neighbour %d out of range [-1, %d)", s, t, n, l.Squares)
			}
		}
	}
	for range l.Taps {
		l.Opposite = append(l.Opposite, -1)
	}
	for t := range l.Taps {
		if l.Opposite[t] >= 0 {
			continue
		}
		for u := t; u < l.Taps; u++ {
			if l.Opposite[u] < 0 && l.inverse(t, u) && l.inverse(u, t) {
				l.Opposite[t], l.Opposite[u] = u, t
				break
			}
		}
		if l.Opposite[t] < 0 {
			return nil, fmt.Errorf("simd: lattice tap %d has no opposite tap", t)
		}
	}
	return l, nil
}

// inverse reports whether tap u undoes tap t wherever t stays on the board.
func (l *Lattice) inverse(t, u int) bool {
	for s := range l.Squares {
		if n := l.Neighbour[s][t]; n >= 0 && l.Neighbour[n][u] != s {
			return false
		}
	}
	return true
}

// Dense returns the lattice of one square and one tap. A convolution over it is
// a dense layer.
func Dense() *Lattice {
	return &Lattice{Squares: 1, Taps: 1, Neighbour: [][]int{{0}}, Opposite: []int{0}}
}
