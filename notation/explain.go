package notation

import (
	"fmt"
	"strings"

	"damier/rules"
)

// Explain says why p has no legal move between two squares; "" if it has one.
func Explain(v *rules.Variant, p rules.Position, from, to rules.Square) string {
	legal := v.AppendMoves(nil, p)
	for _, m := range legal {
		if m.From == from && m.To == to {
			return ""
		}
	}
	return explain(v, p, legal, from, to, false)
}

// explain is Explain for a move that is not among legal, or, with capture, that is among them but takes nothing.
func explain(v *rules.Variant, p rules.Position, legal []rules.Move, from, to rules.Square, capture bool) string {
	n := v.Board.Squares()
	for _, s := range [2]rules.Square{from, to} {
		if s == rules.NoSquare || int(s) > n {
			return fmt.Sprintf("%d is no square, the board has 1 to %d", s, n)
		}
	}
	piece := v.Piece(p, from)
	switch {
	case piece == rules.Empty:
		return fmt.Sprintf("no piece on %d", from)
	case owner(piece) != p.Turn:
		return fmt.Sprintf("not your piece: there is a %s on %d and %s is to move", pieceName(piece), from, p.Turn)
	case to != from && v.Piece(p, to) != rules.Empty:
		return fmt.Sprintf("%d is occupied by a %s", to, pieceName(v.Piece(p, to)))
	case len(legal) == 0:
		return fmt.Sprintf("%s has no legal move", p.Turn)
	}
	targets, origins := destinations(legal, from), origins(legal)
	switch taken := legal[0].Captured().Len(); {
	case taken > 0 && len(targets) > 0:
		return fmt.Sprintf("%d must take %d: to %s", from, taken, or(targets))
	case taken > 0:
		return fmt.Sprintf("must take %d: with %s", taken, or(origins))
	case len(targets) == 0:
		return fmt.Sprintf("the %s on %d has no free square to go to", pieceName(piece), from)
	case capture:
		return fmt.Sprintf("nothing can be taken; the %s on %d goes to %s", pieceName(piece), from, or(targets))
	}
	return fmt.Sprintf("the %s on %d goes to %s", pieceName(piece), from, or(targets))
}

// destinations returns where the moves from a square lead, each square once.
func destinations(legal []rules.Move, from rules.Square) []rules.Square {
	var squares []rules.Square
	for _, m := range legal { // canonical order: equal destinations are neighbours
		if m.From == from && (len(squares) == 0 || squares[len(squares)-1] != m.To) {
			squares = append(squares, m.To)
		}
	}
	return squares
}

// origins returns where the moves start, each square once.
func origins(legal []rules.Move) []rules.Square {
	var squares []rules.Square
	for _, m := range legal {
		if len(squares) == 0 || squares[len(squares)-1] != m.From {
			squares = append(squares, m.From)
		}
	}
	return squares
}

// or lists squares as "32", "32 or 37", "32, 33 or 37".
func or(squares []rules.Square) string {
	last := len(squares) - 1
	if last == 0 {
		return squares[0].String()
	}
	return strings.ReplaceAll(join(squares[:last], ","), ",", ", ") + " or " + squares[last].String()
}

func owner(p rules.Piece) rules.Color {
	if p == rules.WhiteMan || p == rules.WhiteKing {
		return rules.White
	}
	return rules.Black
}

func pieceName(p rules.Piece) string {
	return [...]string{"", "white man", "white king", "black man", "black king"}[p]
}
