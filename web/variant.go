package web

import (
	"damier/notation"
	"damier/rules"
)

// Variant is what the page must know to draw a board.
type Variant struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	Columns   int      `json:"columns"`
	Squares   []string `json:"squares"` // names, the first is square 1
	At        []int    `json:"at"`      // row*columns+column of each square, from the top left as White sees it
	First     string   `json:"first"`
	Algebraic bool     `json:"algebraic"`
	Every     bool     `json:"every"` // all squares are played on
	Example   string   `json:"example"`
	FEN       string   `json:"fen"`
	Pieces    string   `json:"pieces"` // of the start, as in the state
}

// Describe returns what the page must know of v.
func Describe(v *rules.Variant) Variant {
	g := v.Board
	i := Variant{
		Name: v.Name, Rows: g.Rows, Columns: g.Columns, First: v.First.String(), Algebraic: v.Algebraic,
		Every: g.Corner == rules.EverySquare, Example: notation.Example(v), FEN: v.FENRanges(v.Start()), Pieces: v.HubString(v.Start())[1:],
	}
	for q := rules.Square(1); int(q) <= g.Squares(); q++ {
		i.Squares = append(i.Squares, v.SquareName(q))
		i.At = append(i.At, g.Row(q)*g.Columns+g.Column(q))
	}
	return i
}

// OptionsOf returns the options of v as they are written, "" for the defaults.
func OptionsOf(v *rules.Variant) string {
	if u, err := rules.Lookup(v.Name, nil); err == nil && u.String() == v.String() {
		return ""
	}
	return v.Options.String()
}
