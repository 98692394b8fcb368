package notation

import (
	"strconv"

	"damier/rules"
)

// names is a notation for the squares of a board.
type names struct {
	read  func(text string) (rules.Square, error)
	write func(rules.Square) string
}

// playersNames is the notation of the variant's players and PDN. It also reads coordinates on
// every board.
func playersNames(v *rules.Variant) names {
	return names{
		read:  func(text string) (rules.Square, error) { return readSquare(v, text, v.SquareOf) },
		write: v.SquareName,
	}
}

// hubNames is the notation of Hub: numbers in the order of the position string.
func hubNames(v *rules.Variant) names {
	return names{
		read: func(text string) (rules.Square, error) {
			return readSquare(v, text, func(n int) rules.Square {
				if n < 1 || n > v.Board.Squares() {
					return rules.NoSquare
				}
				return rules.Square(n)
			})
		},
		write: rules.Square.String,
	}
}

// readSquare reads coordinates, or a number, which it converts with numbered.
func readSquare(v *rules.Variant, text string, numbered func(int) rules.Square) (rules.Square, error) {
	if text != "" && isLetter(text[0]) {
		rank, err := strconv.Atoi(text[1:])
		if err == nil && rank >= 1 {
			if s := v.Board.At(v.Board.Rows-rank, int(text[0]|0x20)-'a'); s != rules.NoSquare {
				return s, nil
			}
		}
		return rules.NoSquare, rules.Messagef("%s is no playing square", clip(text))
	}
	if n, err := strconv.Atoi(text); err == nil {
		if s := numbered(n); s != rules.NoSquare {
			return s, nil
		}
	}
	return rules.NoSquare, rules.Messagef("%s is no square, the board has 1 to %d", clip(text), v.Board.Squares())
}

// squareLength returns the length of a possible square at the front of s: digits, or a letter and
// digits; 0 if there is none.
func squareLength(s string) int {
	n := 0
	if s != "" && isLetter(s[0]) {
		n = 1
	}
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 1 && isLetter(s[0]) {
		return 0
	}
	return n
}

// isLetter reports whether c is the letter of a column of the widest board.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'l' }
