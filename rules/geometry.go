package rules

import "math/bits"

// Direction is a step to a neighbouring square, as White sees it.
type Direction uint8

// The diagonal directions come first; the lattice network and the generators rely on their order.
const (
	NorthWest Direction = iota
	NorthEast
	SouthWest
	SouthEast
)

// Diagonals lists the four diagonal directions in their canonical order.
var Diagonals = []Direction{NorthWest, NorthEast, SouthWest, SouthEast}

// Opposite returns the reverse direction.
func (d Direction) Opposite() Direction { return 3 - d }

// MaxSquares is the number of playing squares on the largest board, 12x12.
const MaxSquares = 72

// Geometry is a board: its rows and columns, its playing squares and their place in a bitboard.
//
// The layout of 10x10 has a ghost bit at the end of every even row and two at the end of every odd one,
// so that a diagonal step is a shift by 6 or 7 everywhere and a step off the board lands on a ghost
// or off the word; mask after every shift, never fuse two steps into one:
//
//	   0   1   2   3   4   (5)
//	 6   7   8   9  10  (11)(12)
//	  13  14  15  16  17  (18)
//	19  20  21  22  23  (24)(25)
//	  ...
//	58  59  60  61  62
//
// With n squares in a row the down-left step is n+1, the down-right step n+2, and two rows are 2n+3.
type Geometry struct {
	Rows, Columns int

	squares   int
	bit       [MaxSquares + 1]uint8 // by square; 0 for NoSquare
	square    [80]Square            // by bit; NoSquare for ghosts
	neighbour [MaxSquares + 1][4]Square
}

// NewDiagonalGeometry returns a board of rows x columns whose bottom-left square is a playing square.
// Both must be even, and rows*columns at most 144.
func NewDiagonalGeometry(rows, columns int) *Geometry {
	if rows%2 != 0 || columns%2 != 0 || rows*columns > 2*MaxSquares {
		panic("rules: impossible board")
	}
	g := &Geometry{Rows: rows, Columns: columns, squares: rows * columns / 2}
	n := columns / 2
	for s := Square(1); int(s) <= g.squares; s++ {
		r, i := (int(s)-1)/n, (int(s)-1)%n
		b := r/2*(2*n+3) + r%2*(n+1) + i
		g.bit[s] = uint8(b)
		g.square[b] = s
	}
	for s := Square(1); int(s) <= g.squares; s++ {
		r, c := g.Row(s), g.Column(s)
		g.neighbour[s] = [4]Square{g.At(r-1, c-1), g.At(r-1, c+1), g.At(r+1, c-1), g.At(r+1, c+1)}
	}
	return g
}

// Squares returns the number of playing squares, N.
func (g *Geometry) Squares() int { return g.squares }

// Row returns the row of s, 0 at the top.
func (g *Geometry) Row(s Square) int { return (int(s) - 1) / (g.Columns / 2) }

// Column returns the column of s, 0 at the left as White sees it.
func (g *Geometry) Column(s Square) int {
	i := (int(s) - 1) % (g.Columns / 2)
	return 2*i + 1 - g.Row(s)%2
}

// At returns the playing square at a row and column, NoSquare if there is none.
func (g *Geometry) At(row, column int) Square {
	if row < 0 || row >= g.Rows || column < 0 || column >= g.Columns || (row+column)%2 == 0 {
		return NoSquare
	}
	return Square(row*(g.Columns/2) + column/2 + 1)
}

// Neighbour returns the square one step from s, NoSquare at the edge.
func (g *Geometry) Neighbour(s Square, d Direction) Square { return g.neighbour[s][d] }

// Rotate returns s after a half turn of the board.
func (g *Geometry) Rotate(s Square) Square { return Square(g.squares+1) - s }

// Bit returns the index of s in the bit layout.
func (g *Geometry) Bit(s Square) int { return int(g.bit[s]) }

// SquareAt returns the square with the given index in the bit layout, NoSquare for a ghost.
func (g *Geometry) SquareAt(bit int) Square { return g.square[bit] }

// Set returns the set of the given squares.
func (g *Geometry) Set(squares ...Square) Set {
	var t Set
	for _, s := range squares {
		if b := g.bit[s]; b < 64 {
			t.Lo |= 1 << b
		} else {
			t.Hi |= 1 << (b - 64)
		}
	}
	return t
}

// Has reports whether s is in t.
func (g *Geometry) Has(t Set, s Square) bool {
	if b := g.bit[s]; b < 64 {
		return t.Lo>>b&1 != 0
	} else {
		return t.Hi>>(b-64)&1 != 0
	}
}

// Pop removes the lowest square from t and returns it; NoSquare when t is empty.
//
//	for t := set; !t.Empty(); {
//		s := g.Pop(&t)
//	}
func (g *Geometry) Pop(t *Set) Square {
	if t.Lo != 0 {
		b := bits.TrailingZeros64(t.Lo)
		t.Lo &= t.Lo - 1
		return g.square[b]
	}
	if t.Hi != 0 {
		b := bits.TrailingZeros16(t.Hi)
		t.Hi &= t.Hi - 1
		return g.square[64+b]
	}
	return NoSquare
}

// AppendSquares appends the squares of t to dst in ascending order.
func (g *Geometry) AppendSquares(dst []Square, t Set) []Square {
	for !t.Empty() {
		dst = append(dst, g.Pop(&t))
	}
	return dst
}
