package web

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"damier/notation"
	"damier/rules"
)

// Squares is sent as a JSON list of numbers; encoding/json would send a list of bytes as base64.
type Squares []rules.Square

// MarshalJSON writes [32,28].
func (s Squares) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, q := range s {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(q), 10)
	}
	return append(text, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Squares) UnmarshalJSON(text []byte) error {
	var list []uint16
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*s = nil
	for _, n := range list {
		if n > rules.MaxSquares {
			return fmt.Errorf("%d is no square", n)
		}
		*s = append(*s, rules.Square(n))
	}
	return nil
}

// Choice is a legal move that the page offers.
type Choice struct {
	From     rules.Square `json:"from"`
	To       rules.Square `json:"to"`
	Text     string       `json:"text"`
	Captured Squares      `json:"captured,omitempty"`

	// Paths are the possible routes of a capture; each includes From and To.
	Paths []Squares `json:"paths,omitempty"`
}

// Bounds on the paths that are sent, because a constructed position can have very many. A capture
// without paths is played by its first and last square.
const (
	PathMoves = 64 // maximum number of legal captures for which paths are sent
	PathsEach = 64 // maximum number of paths of one capture

	// PathJumps is the number of jumps that are tried for all captures of a position together. A
	// hundred thousand take about 0.2 s, in which a board is locked; positions of games need a few
	// hundred.
	PathJumps = 1 << 14
)

// Move is a move as the page draws it.
type Move struct {
	Text     string  `json:"text"`
	Turn     string  `json:"turn"`
	Path     Squares `json:"path"`
	Captured Squares `json:"captured,omitempty"`
}

// Choices returns the legal moves of p in the form that the page needs.
func Choices(v *rules.Variant, p rules.Position, legal []rules.Move) []Choice {
	jumps := PathJumps
	return choices(v, p, legal, &jumps)
}

// choices is Choices with at most so many jumps, which it subtracts. Each capture may use an equal
// part of those that the captures before it have left.
func choices(v *rules.Variant, p rules.Position, legal []rules.Move, jumps *int) []Choice {
	list := make([]Choice, len(legal))
	for i, m := range legal {
		c := Choice{
			From: m.From, To: m.To, Text: v.FormatMove(m),
			Captured: v.Board.AppendSquares(nil, m.Captured()),
		}
		if m.IsCapture() && len(legal) <= PathMoves {
			part := *jumps / (len(legal) - i)
			*jumps -= part
			paths := v.CapturePathsWithin(p, m, &part)
			*jumps += part
			for _, path := range paths[:min(len(paths), PathsEach)] {
				c.Paths = append(c.Paths, path)
			}
		}
		list[i] = c
	}
	return list
}

// Must returns how many pieces every legal move captures: 0 if no move is a capture, -1 if
// captures of different lengths are legal.
func Must(legal []rules.Move) int {
	if len(legal) == 0 {
		return 0
	}
	n := legal[0].Captured().Len()
	for _, m := range legal {
		if m.Captured().Len() != n {
			return -1
		}
	}
	return n
}

// WhitesScore turns a score in [0,1] of the side to move into White's, rounded to three digits.
func WhitesScore(turn rules.Color, s float64) float64 {
	if turn == rules.Black {
		s = 1 - s
	}
	return math.Round(s*1000) / 1000
}

// Explanation says why a move is refused: as a text, and as a kind with the squares to point at.
type Explanation struct {
	Said
	Kind    string  `json:"kind"` // legal, empty, theirs, occupied, must, goes, stuck or rule
	Count   int     `json:"count,omitempty"`
	Squares Squares `json:"squares,omitempty"`
}

// Explain says why no legal move goes from one square to another, or that a legal move does.
func Explain(
	v *rules.Variant, p rules.Position, legal []rules.Move, from, to rules.Square,
) Explanation {
	e := Explanation{Kind: "rule", Count: Must(legal)}
	if why := notation.Why(v, p, from, to); why != nil {
		e.Said = Say(why)
	}
	mine := v.Board.Has(p.Pieces(p.Turn), from)
	var sources, targets []rules.Square // of all legal moves; of those from `from`
	for _, m := range legal {
		if !slices.Contains(sources, m.From) {
			sources = append(sources, m.From)
		}
		if m.From == from && !slices.Contains(targets, m.To) {
			targets = append(targets, m.To)
		}
	}
	switch {
	case e.Text == "":
		e.Kind = "legal"
	case v.Piece(p, from) == rules.Empty:
		e.Kind = "empty"
	case !mine:
		e.Kind = "theirs"
	case e.Count != 0 && len(targets) == 0:
		e.Kind = "must"
		e.Squares = sources
	case len(targets) == 0:
		e.Kind = "stuck"
	case to != from && v.Piece(p, to) != rules.Empty:
		e.Kind, e.Squares = "occupied", targets
	default:
		e.Kind, e.Squares = "goes", targets
	}
	return e
}
