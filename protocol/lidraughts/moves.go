package lidraughts

import (
	"fmt"
	"slices"
	"strings"

	"damier/rules"
)

// Moves plays the server's moves, separated by blanks, in g, which has no moves yet. It leaves out
// an incomplete capture at the end: path is the squares of it so far, nil if there is none.
func Moves(g *rules.Game, text string) (path []rules.Square, err error) {
	for i, word := range strings.Fields(text) {
		squares, err := parseSquares(g.Variant().Board, word)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		switch {
		case len(path) == 0:
			path = squares
		case path[len(path)-1] == squares[0]:
			path = append(path, squares[1:]...)
		default:
			return nil, fmt.Errorf("move %d, %q: the capture before it has not come to its end", i+1, word)
		}
		m, state := find(g, path)
		switch state {
		case illegal:
			return nil, fmt.Errorf("move %d, %q, is not legal", i+1, word)
		case whole:
			if err := g.Play(m); err != nil {
				return nil, fmt.Errorf("move %d, %q: %w", i+1, word, err)
			}
			path = nil
		}
	}
	return path, nil
}

// maxWord is the largest number of characters of a move: two for the square of each leg of the
// longest capture.
const maxWord = 2 * 64

func parseSquares(board *rules.Geometry, word string) ([]rules.Square, error) {
	if len(word) < 4 || len(word)%2 != 0 || len(word) > maxWord {
		return nil, fmt.Errorf("%.20q is not squares of two digits each", word)
	}
	squares := make([]rules.Square, 0, len(word)/2)
	for i := 0; i < len(word); i += 2 {
		a, b := word[i]-'0', word[i+1]-'0'
		n := int(a)*10 + int(b)
		if a > 9 || b > 9 || n < 1 || n > board.Squares() {
			return nil, fmt.Errorf("%.20q has no square of this board at its place %d", word, i/2+1)
		}
		squares = append(squares, rules.Square(n))
	}
	return squares, nil
}

// The meaning of a path of squares in a position.
const (
	illegal = iota
	partly  // the first legs of a legal capture
	whole
)

// find returns the legal move with that path, or says how much of one the path is.
func find(g *rules.Game, path []rules.Square) (rules.Move, int) {
	from, to := path[0], path[len(path)-1]
	taken, straight := captured(g, path)
	var found rules.Move
	state, count := illegal, 0
	for _, m := range g.Legal() {
		switch {
		case m.From != from:
		case m.To == to && straight && m.Captured() == taken:
			return m, whole
		case straight && !taken.Empty() && taken.AndNot(m.Captured()).Empty() && taken != m.Captured():
			state = partly
		case m.To == to && len(path) == 2:
			found = m
			count++
		}
	}
	if state == illegal && count == 1 { // a complete capture given by its first and last square
		return found, whole
	}
	return rules.Move{}, state
}

// captured returns the pieces that a piece captures on that path. straight is false if a step of
// the path is no straight line, or passes two pieces that are still on the board.
func captured(g *rules.Game, path []rules.Square) (taken rules.Set, straight bool) {
	v := g.Variant()
	p := g.Position()
	theirs := p.Pieces(p.Turn.Opponent())
	for i := 1; i < len(path); i++ {
		between, ok := line(v.Board, path[i-1], path[i])
		if !ok {
			return rules.Set{}, false
		}
		count := 0
		for _, s := range between {
			if v.Board.Has(theirs, s) && !v.Board.Has(taken, s) {
				taken = taken.Or(v.Board.Set(s))
				count++
			}
		}
		if count > 1 {
			return rules.Set{}, false
		}
	}
	return taken, true
}

// line returns the playing squares between two squares of a row, a column or a diagonal.
func line(board *rules.Geometry, a, b rules.Square) (between []rules.Square, ok bool) {
	down, right := board.Row(b)-board.Row(a), board.Column(b)-board.Column(a)
	n := max(abs(down), abs(right))
	if n == 0 || down%n != 0 || right%n != 0 {
		return nil, false
	}
	for i := 1; i < n; i++ {
		if s := board.At(board.Row(a)+i*down/n, board.Column(a)+i*right/n); s != rules.NoSquare {
			between = append(between, s)
		}
	}
	return between, true
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Legs returns a legal move of p in the server's form: one word for each leg. begun is the squares
// of the part of a capture that the server already has, nil if none; its legs are left out. If the
// move does not begin with these squares it returns nil.
func Legs(v *rules.Variant, p rules.Position, m rules.Move, begun []rules.Square) []string {
	paths := [][]rules.Square{{m.From, m.To}}
	if m.IsCapture() {
		paths = v.CapturePaths(p, m)
	}
	for _, path := range paths {
		if len(begun) >= len(path) || !slices.Equal(begun, path[:len(begun)]) {
			continue
		}
		var legs []string
		for i := max(1, len(begun)); i < len(path); i++ {
			legs = append(legs, fmt.Sprintf("%02d%02d", path[i-1], path[i]))
		}
		return legs
	}
	return nil
}
