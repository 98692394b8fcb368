package web

import (
	"damier/notation"
	"damier/rules"
)

// Variant is what a page needs to draw a board.
type Variant struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	Columns   int      `json:"columns"`
	Squares   []string `json:"squares"` // names; the first is square 1
	At        []int    `json:"at"`      // row*Columns+column of each square
	First     string   `json:"first"`
	Algebraic bool     `json:"algebraic"`
	Every     bool     `json:"every"` // pieces stand on all squares, not on the dark ones only
	Example   string   `json:"example"`
	FEN       string   `json:"fen"`
	Pieces    string   `json:"pieces"` // of the start: a letter for each square
}

// Describe returns what a page needs to draw a board of v.
func Describe(v *rules.Variant) Variant {
	g := v.Board
	i := Variant{
		Name:      v.Name,
		Rows:      g.Rows,
		Columns:   g.Columns,
		First:     v.First.String(),
		Algebraic: v.Algebraic,
		Every:     g.Corner == rules.EverySquare,
		Example:   notation.Example(v),
		FEN:       v.FENRanges(v.Start()),
		Pieces:    v.HubString(v.Start())[1:],
	}
	for q := rules.Square(1); int(q) <= g.Squares(); q++ {
		i.Squares = append(i.Squares, v.SquareName(q))
		i.At = append(i.At, g.Row(q)*g.Columns+g.Column(q))
	}
	return i
}

// OptionsOf returns the options of v in their text form, "" for the defaults.
func OptionsOf(v *rules.Variant) string {
	if u, err := rules.Lookup(v.Name, nil); err == nil && u.String() == v.String() {
		return ""
	}
	return v.Options.String()
}
