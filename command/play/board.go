package play

import (
	"fmt"
	"io"
	"strings"

	"damier/rules"
)

// boardStyle says how a board is drawn.
type boardStyle struct {
	color bool
	ascii bool
}

// newBoardStyle chooses a style for an output. It uses colours only on a terminal that has them
// and without NO_COLOR, and signs other than letters only in a locale with UTF-8.
func newBoardStyle(ascii, terminal bool, env func(string) string) boardStyle {
	locale := env("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = env(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return boardStyle{
		color: terminal && env("NO_COLOR") == "" && env("TERM") != "dumb",
		ascii: ascii || !strings.Contains(locale, "utf8"),
	}
}

// The colours: those of a wooden board.
const (
	lightSquare = "\x1b[48;5;223m"
	darkSquare  = "\x1b[48;5;94m"
	otherSquare = "\x1b[48;5;101m" // every other square, if all squares are playing squares
	lastSquare  = "\x1b[48;5;130m" // of the last move
	whitePiece  = "\x1b[1;38;5;231m"
	blackPiece  = "\x1b[1;38;5;16m"
	numberInk   = "\x1b[22;38;5;180m"
	reset       = "\x1b[0m"
)

var (
	letters = [...]string{" ", "w", "W", "b", "B"}
	signs   = [...]string{" ", "○", "◎", "●", "◉"}
	solid   = [...]string{" ", "●", "◉", "●", "◉"} // if the colour shows the side
)

// draw draws a position, with White at the bottom unless flipped. Every playing square shows its
// piece and its name; the squares of the last move, if there is one, are marked.
func (b boardStyle) draw(w io.Writer, v *rules.Variant, p rules.Position, last rules.Move, flipped bool) {
	g := v.Board
	for i := range g.Rows {
		row := i
		if flipped {
			row = g.Rows - 1 - i
		}
		for j := range g.Columns {
			column := j
			if flipped {
				column = g.Columns - 1 - j
			}
			s := g.At(row, column)
			marked := s != rules.NoSquare && (last.From == s || last.To == s)
			fmt.Fprint(w, b.cell(s, v, p, marked))
		}
		if b.color {
			fmt.Fprint(w, reset)
		}
		fmt.Fprintln(w)
	}
}

// cell returns one square, five columns wide.
func (b boardStyle) cell(s rules.Square, v *rules.Variant, p rules.Position, marked bool) string {
	if s == rules.NoSquare {
		if b.color {
			return lightSquare + "     "
		}
		return "     "
	}
	piece := v.Piece(p, s)
	sign := signs[piece]
	switch {
	case b.ascii:
		sign = letters[piece]
	case b.color:
		sign = solid[piece]
	}
	if !b.color {
		if piece == rules.Empty {
			sign = "."
		}
		mark := " "
		if marked {
			mark = ">"
		}
		return fmt.Sprintf("%s%s%-3s", mark, sign, v.SquareName(s))
	}
	ground, ink := darkSquare, blackPiece
	switch g := v.Board; {
	case marked:
		ground = lastSquare
	case g.Corner == rules.EverySquare && (g.Row(s)+g.Column(s))%2 == 0:
		ground = otherSquare
	}
	if piece == rules.WhiteMan || piece == rules.WhiteKing {
		ink = whitePiece
	}
	return ground + ink + " " + sign + numberInk + fmt.Sprintf("%-3s", v.SquareName(s))
}
