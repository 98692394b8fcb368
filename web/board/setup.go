package board

import (
	"fmt"
	"strings"

	"damier/rules"
	"damier/web"
)

// fault is what is wrong with a position, or remarkable about it: in words, and in pieces that a page can put into another
// language.
type fault struct {
	Kind   string `json:"kind"` // turn, row, many, none, rule; stuck is only remarkable
	Text   string `json:"text"`
	Side   string `json:"side,omitempty"`
	Square int    `json:"square,omitempty"`
	Count  int    `json:"count,omitempty"`
	Most   int    `json:"most,omitempty"`
}

// setup is a position that somebody puts together.
type setup struct {
	Faults []fault `json:"faults"`
	FEN    string  `json:"fen"` // "" as long as something is wrong
}

// doCheck says what is wrong with a position that is being put together: text has a letter for each square as in the
// state, side is who moves.
func (b *board) doCheck(q request) (any, error) {
	v := b.game.Variant()
	if len(q.Text) != v.Board.Squares() || strings.Trim(q.Text, "wWbBe") != "" {
		return nil, web.Refuse(422, "request", "a position of %s is %d letters, of w, W, b, B and e", v.Name, v.Board.Squares())
	}
	if q.Side != "" && q.Side != "white" && q.Side != "black" {
		return nil, web.Refuse(422, "request", "%q is no side; white and black are", web.Clip(q.Side))
	}
	return check(v, q.Text, q.Side), nil
}

// check says what is wrong with a position.
func check(v *rules.Variant, letters, side string) setup {
	s := setup{Faults: []fault{}}
	var pieces [2]rules.Set
	var kings rules.Set
	if side == "" {
		s.Faults = append(s.Faults, fault{Kind: "turn", Text: "it is not said who is to move; choose White or Black"})
	}
	for i, letter := range letters {
		q := rules.Square(i + 1)
		c := rules.White
		switch letter {
		case 'e':
			continue
		case 'b', 'B':
			c = rules.Black
		}
		pieces[c] = pieces[c].Or(v.Board.Set(q))
		switch {
		case letter == 'W' || letter == 'B':
			kings = kings.Or(v.Board.Set(q))
		case v.Promotes(c, q):
			s.Faults = append(s.Faults, fault{
				Kind: "row", Side: c.String(), Square: i + 1,
				Text: fmt.Sprintf("a %s man cannot stand on %s, its promotion row; make it a king", c, v.SquareName(q)),
			})
		}
	}
	for c, set := range pieces {
		name := rules.Color(c).String()
		switch n := set.Len(); {
		case n == 0:
			s.Faults = append(s.Faults, fault{Kind: "none", Side: name, Text: fmt.Sprintf("%s has no piece", name)})
		case n > v.MaxPieces():
			s.Faults = append(s.Faults, fault{
				Kind: "many", Side: name, Count: n, Most: v.MaxPieces(),
				Text: fmt.Sprintf("%s has %d pieces; in %s a side has at most %d", name, n, v.Name, v.MaxPieces()),
			})
		}
	}
	if len(s.Faults) > 0 {
		return s
	}
	turn := rules.White
	if side == "black" {
		turn = rules.Black
	}
	p := rules.NewPosition(pieces[rules.White], pieces[rules.Black], kings, turn)
	if err := rules.Validate(v, p); err != nil {
		s.Faults = append(s.Faults, fault{Kind: "rule", Text: err.Error()})
		return s
	}
	s.FEN = v.FEN(p)
	if v.CountMoves(p) == 0 {
		s.Faults = append(s.Faults, fault{Kind: "stuck", Side: side, Text: fmt.Sprintf("%s is to move and cannot: the game is over", side)})
	}
	return s
}
