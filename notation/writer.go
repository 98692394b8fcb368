package notation

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"damier/rules"
)

// lineLength is the length at which the movetext is wrapped; the format has no limit.
const lineLength = 79

// usualTags come first in every game, in this order; the value of an unknown one is "?".
var usualTags = []string{"Event", "Site", "Date", "Round", "White", "Black", "Result"}

// Write writes g as a game of a PDN 3.0 file: its tags, its moves, the text of its Result tag ("*"
// of an unfinished game), and an empty line, so that another game can follow. The usual tags come
// first, then GameType if the variant has one, Variant if GameType does not identify it,
// VariantOptions if they are not the defaults, WhiteType and BlackType if set, FEN if the game does
// not begin at the start position of the variant, PlyCount and Termination, then the other tags of
// g unchanged. Result, GameType to VariantOptions, FEN and PlyCount are computed from the game and
// not copied from its tags; so is Termination if the game has ended. Tags without a value are left
// out.
//
// A tag name that PDN does not allow is an error; nothing is written then.
func Write(w io.Writer, g *Game) error {
	text, err := format(g)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("writing PDN: %w", err)
	}
	return nil
}

func format(g *Game) (string, error) {
	var b strings.Builder
	tags, err := header(g)
	if err != nil {
		return "", err
	}
	for _, t := range tags {
		fmt.Fprintf(&b, "[%s \"%s\"]\n", t.Name, escape(t.Value))
	}
	b.WriteByte('\n')
	m := movetext{b: &b}
	m.line(g, 0, g.Start(), g.Moves(), g.Notes, g.Variations)
	m.word(tags.Get("Result"))
	b.WriteString("\n\n")
	return b.String(), nil
}

// moveNumber returns the move number of ply i, which counts from 0.
func moveNumber(g *Game, i int) int {
	if g.Start().Turn != g.Variant().First {
		i++
	}
	return i/2 + 1
}

// header returns the tags of g in the order in which they are written.
func header(g *Game) (Tags, error) {
	v := g.Variant()
	outcome, reason := g.Outcome()
	result := g.Result
	if outcome != rules.Ongoing {
		result = ResultOf(outcome)
	}
	var tags Tags
	for _, name := range usualTags {
		value := g.Tags.Get(name)
		if value == "" {
			value = "?"
		}
		tags = append(tags, Tag{name, value})
	}
	tags.Set("Result", result.Text(v))
	if tag := gameTag(v); tag != "" {
		tags.Set("GameType", tag)
	}
	if shared(v) {
		tags.Set("Variant", v.Name)
	}
	if options := optionsOf(v); options != "" {
		tags.Set("VariantOptions", options)
	}
	for _, name := range []string{"WhiteType", "BlackType"} {
		if value := g.Tags.Get(name); value != "" {
			tags.Set(name, value)
		}
	}
	made := Tags{ // computed here, not copied from g
		{Name: "GameType"}, {Name: "Variant"}, {Name: "VariantOptions"}, {Name: "FEN"}, {Name: "SetUp"}, {Name: "Termination"},
	}
	if g.Start() != v.Start() {
		tags.Set("FEN", fenOf(v, g.Start()))
	}
	tags.Set("PlyCount", strconv.Itoa(g.Ply()))
	if outcome != rules.Ongoing {
		tags.Set("Termination", string(reason))
	} else if value := g.Tags.Get("Termination"); value != "" {
		tags.Set("Termination", value)
	}
	for _, t := range g.Tags {
		if !tagName(t.Name) {
			return nil, fmt.Errorf("PDN tag name %q: write a capital letter, then letters, digits and _", t.Name)
		}
		if t.Value != "" && !tags.Has(t.Name) && !made.Has(t.Name) {
			tags = append(tags, t)
		}
	}
	return tags, nil
}

// fenOf returns the FEN of a position in the notation of the variant's players.
func fenOf(v *rules.Variant, p rules.Position) string {
	if v.Algebraic {
		return v.FENCoordinates(p)
	}
	return v.FEN(p)
}

func tagName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		upper, lower := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z'
		if !upper && (i == 0 || !lower && c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// escape escapes a string for the quotes of a tag.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(oneLine(s))
}

// oneLine returns s as valid UTF-8 with every run of blanks, line breaks and control characters as
// one space.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// movetext wraps words at lineLength.
type movetext struct {
	b      *strings.Builder
	column int
	open   int // number of opening brackets before the next word
}

func (m *movetext) word(s string) {
	s = strings.Repeat("(", m.open) + s
	m.open = 0
	n := utf8.RuneCountInString(s)
	switch {
	case m.column == 0:
	case m.column+1+n > lineLength:
		m.b.WriteByte('\n')
		m.column = 0
	default:
		m.b.WriteByte(' ')
		m.column++
	}
	m.b.WriteString(s)
	m.column += n
}

// notes writes the notes after the given number of moves.
func (m *movetext) notes(notes *[]Note, ply int) {
	for ; len(*notes) > 0 && (*notes)[0].Ply <= ply; *notes = (*notes)[1:] {
		if n := (*notes)[0]; n.NAG >= 0 {
			m.word("$" + strconv.Itoa(n.NAG))
		} else {
			m.word("{" + strings.ReplaceAll(oneLine(n.Text), "}", ")") + "}")
		}
	}
}
