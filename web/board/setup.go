package board

import (
	"strings"

	"damier/rules"
	"damier/web"
)

// fault is an error in a position, or a remark on it: as a text, and as a kind with parameters that
// a page can translate in its own words.
type fault struct {
	Kind string `json:"kind"` // turn, row, many, none or rule; stuck is only a remark
	web.Said
	Side   string `json:"side,omitempty"`
	Square int    `json:"square,omitempty"`
	Count  int    `json:"count,omitempty"`
	Most   int    `json:"most,omitempty"`
}

// setup is the server's check of a position in the editor.
type setup struct {
	Faults []fault `json:"faults"`
	FEN    string  `json:"fen"` // "" while there is an error
}

// doCheck checks a position of the editor. Text has a letter for each square as in state.Pieces;
// Side is the side to move, "" if not chosen.
func (b *board) doCheck(q request) (any, error) {
	v := b.game.Variant()
	if len(q.Text) != v.Board.Squares() || strings.Trim(q.Text, "wWbBe") != "" {
		return nil, web.Refuse(422, "request", "a position of %s is %d letters, of w, W, b, B and e",
			v.Name, v.Board.Squares())
	}
	if q.Side != "" && q.Side != "white" && q.Side != "black" {
		return nil, web.Refuse(422, "request", "%q is no side; white and black are", web.Clip(q.Side))
	}
	return check(v, q.Text, q.Side), nil
}

// check returns the faults of a position, and its FEN if it has no error.
func check(v *rules.Variant, letters, side string) setup {
	s := setup{Faults: []fault{}}
	var pieces [2]rules.Set
	var kings rules.Set
	if side == "" {
		s.Faults = append(s.Faults, fault{
			Kind: "turn", Said: web.SayNow("it is not said who is to move; choose White or Black"),
		})
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
				Said: web.SayNow("a %s man cannot stand on %s, its promotion row; make it a king",
					c, v.SquareName(q)),
			})
		}
	}
	for c, set := range pieces {
		name := rules.Color(c).String()
		switch n := set.Len(); {
		case n == 0:
			s.Faults = append(s.Faults, fault{
				Kind: "none", Side: name, Said: web.SayNow("%s has no piece", rules.Color(c)),
			})
		case n > v.MaxPieces():
			s.Faults = append(s.Faults, fault{
				Kind: "many", Side: name, Count: n, Most: v.MaxPieces(),
				Said: web.SayNow("%s has %d pieces; in %s a side has at most %d",
					rules.Color(c), n, v.Name, v.MaxPieces()),
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
		s.Faults = append(s.Faults, fault{Kind: "rule", Said: web.Say(err)})
		return s
	}
	s.FEN = v.FEN(p)
	if v.CountMoves(p) == 0 {
		s.Faults = append(s.Faults, fault{
			Kind: "stuck", Side: side,
			Said: web.SayNow("%s is to move and cannot: the game is over", turn),
		})
	}
	return s
}
