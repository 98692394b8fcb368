package rules

import "strconv"

// Square is a playing square, 1..N row by row from the top left; NoSquare is none.
type Square uint8

// NoSquare is the zero Square: off the board, or absent.
const NoSquare Square = 0

// String returns the decimal square number.
func (s Square) String() string { return strconv.Itoa(int(s)) }

// Color is a side.
type Color uint8

// The two sides. White stands at the bottom and moves up, towards square 1.
const (
	White Color = iota
	Black
)

// Opponent returns the other side.
func (c Color) Opponent() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// Piece is what stands on a square.
type Piece uint8

// The pieces, and the empty square.
const (
	Empty Piece = iota
	WhiteMan
	WhiteKing
	BlackMan
	BlackKing
)
