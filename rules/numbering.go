package rules

import (
	"strconv"
	"strings"
)

// The program counts a Square row by row from the top left everywhere. Players of the variant may
// use other names for squares; only this file converts between the two.

// Number returns the PDN number of s: s itself, or N+1-s where squares are counted from White's
// side.
func (v *Variant) Number(s Square) int {
	if v.Mirrored {
		return int(v.Board.Rotate(s))
	}
	return int(s)
}

// SquareOf returns the square with the PDN number n, NoSquare if there is none.
func (v *Variant) SquareOf(n int) Square {
	if n < 1 || n > v.Board.Squares() {
		return NoSquare
	}
	return Square(v.Number(Square(n))) // the conversion is its own inverse
}

// Coordinates returns the file and the rank of s, a1 at White's bottom left.
func (v *Variant) Coordinates(s Square) string {
	return string(rune('a'+v.Board.Column(s))) + strconv.Itoa(v.Board.Rows-v.Board.Row(s))
}

// SquareName returns s as the variant's players write it: its coordinates or its PDN number.
func (v *Variant) SquareName(s Square) string {
	if v.Algebraic {
		return v.Coordinates(s)
	}
	return strconv.Itoa(v.Number(s))
}

// ParseSquare reads a PDN number, or coordinates where the variant's players write them.
func (v *Variant) ParseSquare(text string) (Square, error) {
	text = strings.TrimSpace(text)
	if n, ok := number(text); ok {
		if s := v.SquareOf(n); s != NoSquare {
			return s, nil
		}
		return NoSquare, Messagef("square %s is off the board; its squares are 1 to %d", quote(text), v.Board.Squares())
	}
	if v.Algebraic && isCoordinates(text) {
		rank, _ := number(text[1:])
		if s := v.Board.At(v.Board.Rows-rank, int(text[0]|0x20)-'a'); s != NoSquare {
			return s, nil
		}
		return NoSquare, Messagef("%s is no playing square", quote(text))
	}
	if v.Algebraic {
		return NoSquare, Messagef("%s is not a square; write a number or a file and a rank, as in c3", quote(text))
	}
	return NoSquare, Messagef("%s is not a square; write a number from 1 to %d", quote(text), v.Board.Squares())
}

// isCoordinates reports whether text is a letter and digits.
func isCoordinates(text string) bool {
	if len(text) < 2 || text[0]|0x20 < 'a' || text[0]|0x20 > 'z' {
		return false
	}
	_, ok := number(text[1:])
	return ok && text[1] != ' '
}
