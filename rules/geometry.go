package rules

import "math/bits"

// Direction is a step to a neighbouring square, as White sees it.
type Direction uint8

// The diagonal directions come first; the generators rely on their order.
const (
	NorthWest Direction = iota
	NorthEast
	SouthWest
	SouthEast
	North
	West
	East
	South
)

// Diagonals lists the four diagonal directions in their canonical order.
var Diagonals = []Direction{NorthWest, NorthEast, SouthWest, SouthEast}

// Orthogonals lists the four directions along rows and columns in their canonical order.
var Orthogonals = []Direction{North, West, East, South}

// EveryDirection lists the diagonals and then the orthogonals.
var EveryDirection = []Direction{NorthWest, NorthEast, SouthWest, SouthEast, North, West, East, South}

// Opposite returns the reverse direction.
func (d Direction) Opposite() Direction { return 3 + d&4<<1 - d }

// Orthogonal reports whether d goes along a row or a column.
func (d Direction) Orthogonal() bool { return d >= North }

// Backward reports whether d takes a man of side c away from its promotion row. Sideways is not
// backward.
func (d Direction) Backward(c Color) bool {
	switch d {
	case NorthWest, NorthEast, North:
		return c == Black
	case SouthWest, SouthEast, South:
		return c == White
	}
	return false
}

// MaxSquares is the number of playing squares on the largest board, 12x12.
const MaxSquares = 72

// Corner says which squares of a board are played on.
type Corner uint8

// The boards. White's bottom-left corner is a playing square in most variants, the bottom-right
// one in Italian, Spanish, Portuguese and German draughts; Turkish draughts plays on all squares.
const (
	BottomLeft Corner = iota
	BottomRight
	EverySquare
)

// Geometry is a board: its rows and columns, its playing squares and their place in a bitboard.
//
// The layout of 10x10 has one ghost bit at the end of every even row and two at the end of every
// odd row. So a diagonal step is a shift by 6 or 7 everywhere, and a step off the board lands on a
// ghost or outside the word. Mask after every shift, and never combine two steps into one shift:
//
//	   0   1   2   3   4   (5)
//	 6   7   8   9  10  (11)(12)
//	  13  14  15  16  17  (18)
//	19  20  21  22  23  (24)(25)
//	  ...
//	58  59  60  61  62
//
// With n squares in a row the down-left step is n+1, the down-right step n+2, and two rows are
// 2n+3.
//
// The other diagonal boards have one ghost bit for every two rows. It has the same effect with
// steps of n and n+1, and keeps 8x8 within 36 bits and 12x12 within 77. The ghost is at the end of
// the odd rows; on boards whose bottom-right square is a playing square it is at the end of the
// even rows:
//
//	  0   1   2   3           0   1   2   3   (4)
//	4   5   6   7   (8)         5   6   7   8
//	  9  10  11  12           9  10  11  12  (13)
//
// A board played on all its squares has no ghosts.
type Geometry struct {
	Rows, Columns int
	Corner        Corner

	squares   int
	inRow     int                   // playing squares in a row
	bit       [MaxSquares + 1]uint8 // by square; 0 for NoSquare
	square    [80]Square            // by bit; NoSquare for ghosts
	neighbour [MaxSquares + 1][8]Square
	all       Set
}

// NewDiagonalGeometry returns a board of rows x columns whose bottom-left square is a playing
// square. Both must be even, and rows*columns at most 144.
func NewDiagonalGeometry(rows, columns int) *Geometry {
	return NewGeometry(rows, columns, BottomLeft)
}

// NewGeometry returns a board of rows x columns. Both must be even, the board no wider than high,
// and the playing squares no more than [MaxSquares].
func NewGeometry(rows, columns int, corner Corner) *Geometry {
	g := &Geometry{Rows: rows, Columns: columns, Corner: corner, inRow: columns / 2}
	if corner == EverySquare {
		g.inRow = columns
	}
	g.squares = rows * g.inRow
	if rows%2 != 0 || columns%2 != 0 || g.squares > MaxSquares || corner > EverySquare {
		panic("rules: impossible board")
	}
	for s := Square(1); int(s) <= g.squares; s++ {
		r, i, n := g.Row(s), (int(s)-1)%g.inRow, g.inRow
		var b int
		switch {
		case corner == EverySquare:
			b = int(s) - 1
		case columns == 10 && corner == BottomLeft:
			b = r/2*(2*n+3) + r%2*(n+1) + i
		case corner == BottomLeft:
			b = r/2*(2*n+1) + r%2*n + i
		default:
			b = r/2*(2*n+1) + r%2*(n+1) + i
		}
		g.bit[s] = uint8(b)
		g.square[b] = s
		g.all = g.all.Or(g.Set(s))
	}
	for s := Square(1); int(s) <= g.squares; s++ {
		r, c := g.Row(s), g.Column(s)
		// The orthogonal neighbour is the next playing square of the row or column.
		far := 2
		if corner == EverySquare {
			far = 1
		}
		g.neighbour[s] = [8]Square{
			g.At(r-1, c-1), g.At(r-1, c+1), g.At(r+1, c-1), g.At(r+1, c+1),
			g.At(r-far, c), g.At(r, c-far), g.At(r, c+far), g.At(r+far, c),
		}
	}
	return g
}

// Squares returns the number of playing squares, N.
func (g *Geometry) Squares() int { return g.squares }

// All returns the set of all playing squares.
func (g *Geometry) All() Set { return g.all }

// Row returns the row of s, 0 at the top.
func (g *Geometry) Row(s Square) int { return (int(s) - 1) / g.inRow }

// Column returns the column of s, 0 at the left as White sees it.
func (g *Geometry) Column(s Square) int {
	i := (int(s) - 1) % g.inRow
	switch g.Corner {
	case EverySquare:
		return i
	case BottomRight:
		return 2*i + g.Row(s)%2
	}
	return 2*i + 1 - g.Row(s)%2
}

// At returns the playing square at a row and column, NoSquare if there is none.
func (g *Geometry) At(row, column int) Square {
	if row < 0 || row >= g.Rows || column < 0 || column >= g.Columns {
		return NoSquare
	}
	switch dark := (row+column)%2 != 0; {
	case g.Corner == EverySquare:
		return Square(row*g.inRow + column + 1)
	case dark != (g.Corner == BottomLeft):
		return NoSquare
	}
	return Square(row*g.inRow + column/2 + 1)
}

// Mirror returns s with left and right exchanged, NoSquare if the result is no playing square.
// Only the board on which all squares are played has a mirror.
func (g *Geometry) Mirror(s Square) Square { return g.At(g.Row(s), g.Columns-1-g.Column(s)) }

// MainRoad reports whether s is on the long diagonal from the bottom left to the top right.
func (g *Geometry) MainRoad(s Square) bool { return g.Row(s)+g.Column(s) == g.Rows-1 }

// Neighbour returns the next square from s in a direction, NoSquare at the edge. On a diagonal
// board the orthogonal neighbours are two rows or two columns away.
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
