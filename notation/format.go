package notation

import (
	"slices"
	"strings"

	"damier/rules"
)

// FormatMove returns the legal move m of p in the form of PDN 3.0: short, or long if another
// capture has the same origin and destination.
func FormatMove(v *rules.Variant, p rules.Position, m rules.Move) string {
	return formatMove(v, p, v.AppendMoves(nil, p), m)
}

func formatMove(v *rules.Variant, p rules.Position, legal []rules.Move, m rules.Move) string {
	for _, n := range legal {
		if n != m && n.From == m.From && n.To == m.To {
			return FormatLong(v, p, m)
		}
	}
	return v.FormatMove(m)
}

// FormatLong returns the legal move m of p in PDN's long form: all squares of a capture, one more
// than pieces taken. An intermediate square is the one where the path turns or, if it goes
// straight on, the one behind the piece just taken. Of several paths it takes the one with the
// lowest squares. A quiet move has no long form of its own.
func FormatLong(v *rules.Variant, p rules.Position, m rules.Move) string {
	if !m.IsCapture() {
		return v.FormatMove(m)
	}
	var best []rules.Square
	for _, path := range v.CapturePaths(p, m) {
		if f := longForm(v, path, m); best == nil || slices.Compare(f, best) < 0 {
			best = f
		}
	}
	if best == nil { // a move of informal play
		return v.FormatMove(m)
	}
	return join(best, v.Capture, v.SquareName)
}

// FormatHub returns m as the Hub protocol writes it: 32-28, or from, to and all captured squares:
// 28x19x23. Its square numbers are [rules.Square], the order of the position string.
func FormatHub(v *rules.Variant, m rules.Move) string {
	if !m.IsCapture() {
		return join([]rules.Square{m.From, m.To}, "-", rules.Square.String)
	}
	return join(v.Board.AppendSquares([]rules.Square{m.From, m.To}, m.Captured()), "x", rules.Square.String)
}

func join(squares []rules.Square, sep string, write func(rules.Square) string) string {
	var b strings.Builder
	for i, s := range squares {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(write(s))
	}
	return b.String()
}

// takes returns the captured squares of each move.
func takes(v *rules.Variant, n names, moves []rules.Move) []string {
	lists := make([]string, len(moves))
	for i, m := range moves {
		lists[i] = join(v.Board.AppendSquares(nil, m.Captured()), ",", n.write)
	}
	return lists
}

// short returns a capture in short notation.
func short(n names, v *rules.Variant, m rules.Move) string {
	return n.write(m.From) + v.Capture + n.write(m.To)
}

// longForm returns the squares of PDN's long form of a capture path.
func longForm(v *rules.Variant, path []rules.Square, m rules.Move) []rules.Square {
	g := v.Board
	form := slices.Clone(path)
	for i, taken := range victims(v, path, m)[:len(path)-2] {
		if stepBetween(g, path[i], path[i+1]) != stepBetween(g, path[i+1], path[i+2]) {
			continue
		}
		squares := ray(g, path[i], path[i+1])
		form[i+1] = squares[slices.Index(squares, taken)+1]
	}
	return form
}
