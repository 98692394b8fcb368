package notation

import (
	"slices"
	"strings"

	"damier/rules"
)

// ErrSyntax is wrapped by errors for text that is not a move. For text that is a move, but not a
// legal one, the error wraps [rules.ErrIllegalMove].
var ErrSyntax error = rules.Messagef("not a move")

// AmbiguousError is the error for move text that fits several legal moves.
// AmbiguousError is the error for text that matches several legal moves.
type AmbiguousError struct {
	Text    string
	Choices []rules.Move // at least two: the same origin and destination, different pieces taken
	takes   []string     // the captured squares of each choice
}

// Error names the captured squares of each choice.
func (e *AmbiguousError) Error() string { return e.Message().Error() }

// Message implements [rules.Messenger].
func (e *AmbiguousError) Message() *rules.Message {
	return rules.Messagef("ambiguous: %s may take %s", e.Text, either(e.takes))
}

// moveText is a move as written, before it is compared with the position.
type moveText struct {
	text     string
	squares  []rules.Square
	capture  bool           // written with x or :
	hub      bool           // captured squares may be left out; intermediate squares are never given
	captured []rules.Square // the list in angle brackets, nil if there is none
}

// ParseMove returns the legal move of p that matches text. It reads
//
//	32-28            a quiet move; a capture may be written so too
//	19x30  19:30     a capture that is the only one from 19 to 30
//	47x38x24x13x36   a capture with some or all of its intermediate squares, in their order
//	28x19x23         a capture as Hub writes it: from, to, captured squares in any order
//	47x36<14,29,31>  a capture with the list of captured squares
//	c3-d4 c3:e5 c3d4 the same with coordinates, on every board
//
// and ignores the sign between the squares, leading zeros, and blanks around it. Numbers are those
// of PDN. The last square tells the long form from the Hub form: it is empty in the first and has
// an enemy piece in the second. If captured pieces leave the board at once it may be either, and
// the long form has precedence. If one piece can be captured between two squares, or several on
// another path, two squares mean the capture of one.
//
// The error wraps [ErrSyntax] or [rules.ErrIllegalMove], or is an [*AmbiguousError].
func ParseMove(v *rules.Variant, p rules.Position, text string) (rules.Move, error) {
	return parseMove(v, playersNames(v), p, v.AppendMoves(nil, p), text)
}

// ParseAmong is [ParseMove] with the given moves in place of the legal ones of p, for informal
// play. It does not use intermediate squares to choose between several moves with the same ends.
func ParseAmong(v *rules.Variant, p rules.Position, moves []rules.Move, text string) (rules.Move, error) {
	return parseMove(v, playersNames(v), p, moves, text)
}

func parseMove(v *rules.Variant, n names, p rules.Position, legal []rules.Move, text string) (rules.Move, error) {
	t, err := lexMove(v, n, text)
	if err != nil {
		return rules.Move{}, err
	}
	if len(t.squares) > 2 && t.capture && v.Board.Has(p.Pieces(p.Turn.Opponent()), t.squares[len(t.squares)-1]) {
		if long := between(legal, t); !v.RemovedAtOnce || len(byPath(v, p, long, t.squares)) == 0 {
			return t.asHub().find(v, n, p, legal)
		}
	}
	return t.find(v, n, p, legal)
}

// asHub returns t with all squares except the first two as captured squares.
func (t moveText) asHub() moveText {
	t.captured = append(slices.Clone(t.squares[2:]), t.captured...)
	t.squares = t.squares[:2]
	return t
}

// between returns the legal moves from the first to the last square of t.
func between(legal []rules.Move, t moveText) []rules.Move {
	var found []rules.Move
	for _, m := range legal {
		if m.From == t.squares[0] && m.To == t.squares[len(t.squares)-1] && (m.IsCapture() || !t.capture) {
			found = append(found, m)
		}
	}
	return found
}

// find returns the legal move that matches t.
func (t moveText) find(v *rules.Variant, n names, p rules.Position, legal []rules.Move) (rules.Move, error) {
	found := between(legal, t)
	if len(found) == 0 {
		return rules.Move{}, illegal(t.text, explain(v, n, p, legal, t))
	}
	if t.captured != nil {
		want := v.Board.Set(t.captured...)
		fit := slices.DeleteFunc(slices.Clone(found), func(m rules.Move) bool { return m.Captured() != want })
		if len(fit) == 0 {
			return rules.Move{}, illegal(t.text, rules.Messagef("%s takes %s", short(n, v, found[0]), either(takes(v, n, found))))
		}
		found = fit
	}
	if len(found) > 1 && len(t.squares) > 2 {
		if found = byPath(v, p, found, t.squares); len(found) == 0 {
			return rules.Move{}, illegal(t.text, rules.Messagef("no capture from %s to %s goes that way", n.write(t.squares[0]), n.write(t.squares[len(t.squares)-1])))
		}
	}
	if len(found) > 1 && len(t.squares) == 2 && !t.hub {
		// Two squares are the long form of a capture of one piece.
		if i := slices.IndexFunc(found, func(m rules.Move) bool { return m.Captured().Len() == 1 }); i >= 0 {
			return found[i], nil
		}
	}
	if len(found) > 1 {
		return rules.Move{}, &AmbiguousError{Text: strings.TrimSpace(t.text), Choices: found, takes: takes(v, n, found)}
	}
	return found[0], nil
}

func illegal(text string, why *rules.Message) error {
	return rules.Messagef("%w %s: %s", rules.ErrIllegalMove, strings.TrimSpace(text), why)
}

// lexMove splits text into squares of the board and checks that it has the form of a move.
func lexMove(v *rules.Variant, names names, text string) (moveText, error) {
	t := moveText{text: text}
	bad := func(why error) (moveText, error) {
		return moveText{}, rules.Messagef("%w: %q: %v; write %s", ErrSyntax, clip(text), why, example(v))
	}
	s := strings.TrimSpace(text)
	if head, list, ok := strings.Cut(s, "<"); ok {
		list, ok = strings.CutSuffix(list, ">")
		if !ok {
			return bad(rules.Messagef("the list of captured squares has no end"))
		}
		for _, f := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
			q, err := names.read(f)
			if err != nil {
				return bad(err)
			}
			t.captured = append(t.captured, q)
		}
		s = strings.TrimSpace(head)
	}
	for {
		n := squareLength(s)
		if n == 0 {
			if v.Algebraic {
				return bad(rules.Messagef("a square is missing"))
			}
			return bad(rules.Messagef("a square number is missing"))
		}
		q, err := names.read(s[:n])
		if err != nil {
			return bad(err)
		}
		t.squares = append(t.squares, q)
		s = strings.TrimLeft(s[n:], " ")
		if s == "" {
			break
		}
		capture, rest, ok := separator(s)
		switch {
		case !ok && isLetter(s[0]) && squareLength(s) > 0: // a3b4
		case !ok:
			return bad(rules.Messagef("squares are joined by - or %s", x(v)))
		case len(t.squares) > 1 && capture != t.capture:
			return bad(rules.Messagef("- and %s are mixed", x(v)))
		}
		t.capture = capture
		s = strings.TrimLeft(rest, " ")
	}
	if len(t.squares) < 2 {
		return bad(rules.Messagef("the destination is missing"))
	}
	return t, nil
}

// x returns the capture sign for an error message: that of the variant, unless it is the hyphen.
func x(v *rules.Variant) string {
	if v.Capture == "-" {
		return "x"
	}
	return v.Capture
}

// Example returns a quiet move and a capture as the variant's players write them, "32-28 or
// 19x30".
func Example(v *rules.Variant) string { return example(v).Error() }

func example(v *rules.Variant) *rules.Message {
	switch {
	case v.Algebraic && v.MoveLines[0].Orthogonal():
		return rules.Messagef("%s or %s", "a3-a4", "a3"+v.Capture+"a5")
	case v.Algebraic:
		return rules.Messagef("%s or %s", "c3-d4", "c3"+v.Capture+"e5")
	case v.Board.Columns == 8:
		return rules.Messagef("%s or %s", "11-15", "22"+v.Capture+"15")
	}
	return rules.Messagef("%s or %s", "32-28", "19"+v.Capture+"30")
}

// either lists texts as "32", "32 or 37", "32, 33 or 37".
func either(list []string) any {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return rules.Messagef("%s or %s", strings.Join(list[:last], ", "), list[last])
}

// separator removes a separator from the front of s: the hyphen and similar characters, or a
// capture sign.
func separator(s string) (capture bool, rest string, ok bool) {
	for _, sep := range []string{"-", "\u2010", "\u2011", "\u2013"} {
		if rest, ok := strings.CutPrefix(s, sep); ok {
			return false, rest, true
		}
	}
	for _, sep := range []string{"x", "X", ":", "\u00d7"} {
		if rest, ok := strings.CutPrefix(s, sep); ok {
			return true, rest, true
		}
	}
	return false, s, false
}

// clip shortens text that an error quotes.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// pathJumps bounds the jumps that are tried for the paths of all captures of a position together.
// Positions of games need a few hundred, constructed ones millions.
const pathJumps = 1 << 17

// byPath returns the captures with a path through the given squares, of which the first and the
// last are origin and destination. It returns the best match of: a complete long form; some of the
// squares landed on; some of the squares visited, including empty ones between two pieces.
func byPath(v *rules.Variant, p rules.Position, captures []rules.Move, squares []rules.Square) []rules.Move {
	var fits [3][]rules.Move // best first
	jumps := pathJumps
	for _, m := range captures {
		fit := len(fits)
		for _, path := range v.CapturePathsWithin(p, m, &jumps) {
			switch {
			case slices.Equal(squares, longForm(v, path, m)):
				fit = 0
			case subsequence(squares, path):
				fit = min(fit, 1)
			case subsequence(squares, visited(v, path, m)):
				fit = min(fit, 2)
			}
		}
		if fit < len(fits) {
			fits[fit] = append(fits[fit], m)
		}
	}
	for _, f := range fits {
		if len(f) > 0 {
			return f
		}
	}
	return nil
}

// ParseHub returns the legal move of p that matches text in the Hub protocol. After origin and
// destination come captured squares, which may be left out if there is no choice; it accepts
// nothing else. Its errors are those of [ParseMove].
func ParseHub(v *rules.Variant, p rules.Position, text string) (rules.Move, error) {
	n := hubNames(v)
	t, err := lexMove(v, n, text)
	if err != nil {
		return rules.Move{}, err
	}
	for _, s := range t.squares[2:] {
		if !v.Board.Has(p.Pieces(p.Turn.Opponent()), s) {
			return rules.Move{}, illegal(text, rules.Messagef("no %s piece on %s to take", p.Turn.Opponent(), n.write(s)))
		}
	}
	t.hub = true
	if len(t.squares) > 2 {
		t = t.asHub()
	}
	return t.find(v, n, p, v.AppendMoves(nil, p))
}
