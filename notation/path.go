package notation

import "damier/rules"

// step is one step of a path: rows down and columns right, each -1, 0 or 1.
type step struct{ down, right int }

func stepBetween(g *rules.Geometry, a, b rules.Square) step {
	return step{sign(g.Row(b) - g.Row(a)), sign(g.Column(b) - g.Column(a))}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// ray returns the playing squares from a to b, without a and with b.
func ray(g *rules.Geometry, a, b rules.Square) []rules.Square {
	d := stepBetween(g, a, b)
	var squares []rules.Square
	for r, c := g.Row(a), g.Column(a); r != g.Row(b) || c != g.Column(b); {
		r, c = r+d.down, c+d.right
		if r < 0 || r >= g.Rows || c < 0 || c >= g.Columns {
			panic("notation: a capture path that is not straight")
		}
		if s := g.At(r, c); s != rules.NoSquare {
			squares = append(squares, s)
		}
	}
	return squares
}

// victims returns the square captured in each step of a capture path. It is the only piece of the
// move between two squares that is still there: a piece taken before is never jumped again, or has
// left the board.
func victims(v *rules.Variant, path []rules.Square, m rules.Move) []rules.Square {
	left := m.Captured()
	taken := make([]rules.Square, len(path)-1)
	for i := range taken {
		for _, s := range ray(v.Board, path[i], path[i+1]) {
			if v.Board.Has(left, s) {
				taken[i] = s
				left = left.AndNot(v.Board.Set(s))
				break
			}
		}
	}
	return taken
}

// visited returns all squares that a capture passes or lands on, in order, without the squares of
// captured pieces.
func visited(v *rules.Variant, path []rules.Square, m rules.Move) []rules.Square {
	squares := path[:1:1]
	for i, taken := range victims(v, path, m) {
		for _, s := range ray(v.Board, path[i], path[i+1]) {
			if s != taken {
				squares = append(squares, s)
			}
		}
	}
	return squares
}

// subsequence reports whether the elements of part occur in whole in the same order.
func subsequence(part, whole []rules.Square) bool {
	for _, s := range whole {
		if len(part) > 0 && part[0] == s {
			part = part[1:]
		}
	}
	return len(part) == 0
}
