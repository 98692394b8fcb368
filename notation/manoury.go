package notation

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"damier/rules"
)

// Manoury's notation is that of French draughts: squares by Manoury's numbers, White's moves plain
// and Black's in round brackets, a hyphen for a quiet move and x or × for a capture, and in a
// capture every square on which the piece lands. A good move has !, a bad one ?.
//
//	1. 32-28(18-23) 2. 33-29!(23x32) 3. 37x28(17-22?) 4. 28x17(11x22)
//
// Tags, comments in braces and a result are as in PDN. There are no variations.

// NewManouryReader returns a reader of games in Manoury's notation, which holds some MiB of r at a
// time. In addition to what [Reader] accepts, it accepts blanks within a move, a mark inside or
// after the brackets, and a move written over its answer, (38-33)/(13-18). A move of Black outside
// brackets, or of White inside, is an error.
func NewManouryReader(r io.Reader, v *rules.Variant) (*Reader, error) {
	if err := hasManoury(v); err != nil {
		return nil, err
	}
	l := newFileLexer(r, window)
	l.manoury = true
	return &Reader{v: v, lexer: l, manoury: true}, nil
}

// ParseManoury returns all games of a text in Manoury's notation. It stops at the first bad game
// and returns those before it.
func ParseManoury(v *rules.Variant, text string) ([]*Game, error) {
	r, err := NewManouryReader(strings.NewReader(text), v)
	if err != nil {
		return nil, err
	}
	return r.all()
}

// hasManoury returns an error if games of v cannot be written in Manoury's notation.
func hasManoury(v *rules.Variant) error {
	if v.Algebraic {
		return rules.Messagef("games of %s are written with coordinates, and Manoury's notation has numbers", v.Name)
	}
	return nil
}

var (
	manourySigns    = regexp.MustCompile(`([0-9])[ \t\x{a0}]*([-xX:×\x{2010}\x{2011}\x{2013}])[ \t\x{a0}]*([0-9])`)
	manouryFraction = regexp.MustCompile(`\(([^(){}/\n]*)\)[ \t]*/[ \t]*\(`)
	manouryTags     = regexp.MustCompile(`^([ \t]*\[[^\]"]*("(\\.|[^"\\])*")?[^\]"]*\])+`)
	manouryBrackets = regexp.MustCompile(`\(([^(){}]*)\)`)
	manouryShape    = regexp.MustCompile(`^[0-9]+([-xX:×\x{2010}\x{2011}\x{2013}][0-9]+)+$`)
	bracedComment   = regexp.MustCompile(`\{[^}]*\}`)
)

// plainManoury removes the blanks in moves, and the brackets from White's move in a fraction. It
// does not change tags.
func plainManoury(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		tags := manouryTags.FindString(line)
		line = line[len(tags):]
		for again := ""; again != line; { // repeat, because a digit may stand between two signs
			again = line
			line = manourySigns.ReplaceAllString(line, "$1$2$3")
		}
		lines[i] = tags + manouryFraction.ReplaceAllString(line, "$1 (")
	}
	return strings.Join(lines, "\n")
}

// LooksLikeManoury reports whether a text is more likely in Manoury's notation than in PDN: it has
// moves in brackets, and never more than one in a pair of brackets.
func LooksLikeManoury(text string) bool {
	var movetext strings.Builder
	for _, line := range strings.Split(plainManoury(text), "\n") {
		movetext.WriteString(line[len(manouryTags.FindString(line)):] + "\n")
	}
	found := false
	for _, b := range manouryBrackets.FindAllStringSubmatch(bracedComment.ReplaceAllString(movetext.String(), " "), -1) {
		switch inside := strings.Trim(b[1], "!? \t"); {
		case inside == "":
		case !manouryShape.MatchString(inside):
			return false
		default:
			found = true
		}
	}
	return found
}

// WriteManoury writes g in Manoury's notation, with the tags of [Write], and its result at the
// end. Comments, and glyphs other than ! and ?, are written as in PDN. It is an error if the
// variant's squares are not numbered, or if PDN does not allow the name of a tag; nothing is
// written then.
func WriteManoury(w io.Writer, g *Game) error {
	text, err := formatManoury(g)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return rules.Messagef("writing Manoury's notation: %w", err)
	}
	return nil
}

// marks are the marks of glyphs after a move.
var marks = map[int]string{1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}

func formatManoury(g *Game) (string, error) {
	v := g.Variant()
	if err := hasManoury(v); err != nil {
		return "", err
	}
	tags, err := header(g)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range tags {
		fmt.Fprintf(&b, "[%s \"%s\"]\n", t.Name, escape(t.Value))
	}
	b.WriteByte('\n')
	m := movetext{b: &b}
	notes := g.Notes
	m.notes(&notes, 0)
	positions := g.Positions()
	word := "" // White's move, until Black's is appended
	for i, mv := range g.Moves() {
		p := positions[i]
		text := manouryMove(v, p, mv)
		if len(notes) > 0 && notes[0].Ply == i+1 && marks[notes[0].NAG] != "" {
			text += marks[notes[0].NAG]
			notes = notes[1:]
		}
		if p.Turn == rules.Black {
			text = "(" + text + ")"
		}
		if p.Turn == v.First || i == 0 {
			m.word(strconv.Itoa(moveNumber(g, i)) + ".")
		}
		word += text
		last := i+1 == g.Ply()
		if noted := len(notes) > 0 && notes[0].Ply <= i+1; p.Turn != v.First || last || noted {
			m.word(word)
			word = ""
		}
		m.notes(&notes, i+1)
	}
	m.word(tags.Get("Result"))
	b.WriteString("\n\n")
	return b.String(), nil
}

// manouryMove returns a move with all squares of a capture.
func manouryMove(v *rules.Variant, p rules.Position, m rules.Move) string {
	text := FormatLong(v, p, m)
	if m.IsCapture() && v.Capture == "-" {
		return strings.ReplaceAll(text, "-", "x")
	}
	return text
}

// FormatManoury returns the legal move m of p in Manoury's notation: "38-33", "(13-18)",
// "(35x19x32x43x34)".
func FormatManoury(v *rules.Variant, p rules.Position, m rules.Move) string {
	text := manouryMove(v, p, m)
	if p.Turn == rules.Black {
		return "(" + text + ")"
	}
	return text
}
