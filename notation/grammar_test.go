package notation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/rules"
)

// grammar writes PDN files by the grammar of what is read, choosing at random wherever it leaves a
// choice, and knows what the games are that it writes. Where a rule of the grammar has several
// forms the comment names them.
type grammar struct {
	rng *rand.Rand
	v   *rules.Variant
	b   strings.Builder
}

// chance is true n times in a hundred.
func (w *grammar) chance(n int) bool { return w.rng.IntN(100) < n }

// pick returns one of the texts.
func (w *grammar) pick(texts ...string) string { return texts[w.rng.IntN(len(texts))] }

func (w *grammar) write(text string) { w.b.WriteString(text) }

// file = { game separator } [ game ]; as a whole perhaps with a byte order mark or in a forum's
// wrapper.
func (w *grammar) file(games int) []*Game {
	if w.chance(10) {
		w.write("\uFEFF")
	}
	wrapped := w.chance(10)
	if wrapped {
		w.write("[pdn]\n")
	}
	var all []*Game
	for n := range games {
		g := w.plan(n)
		tagged := w.chance(70)
		ended := w.chance(70)
		if n > 0 && !strings.HasSuffix(strings.TrimRight(w.b.String(), " \n"), "*") {
			tagged = true // or the game before would go on; see terminator
		}
		w.game(g, tagged, ended)
		all = append(all, g)
	}
	if wrapped {
		w.write("\n[/pdn]")
	}
	return all
}

// plan makes a game at random: its start, moves, result, tags and notes.
func (w *grammar) plan(n int) *Game {
	start := w.v.Start()
	if w.chance(40) {
		for {
			start = randomPosition(w.rng, w.v, 6)
			if rules.Validate(w.v, start) == nil {
				break
			}
		}
	}
	played := randomGame(w.rng, w.v, start, 1+w.rng.IntN(24))
	g := &Game{Game: played, Tags: Tags{{Name: "Event", Value: fmt.Sprintf("game %d", n)}}}
	for _, name := range []string{"Site", "White", "Black", "Annotator", "Own_tag2"} {
		if w.chance(30) {
			g.Tags.Set(name, w.pick("?", "A. Player", `the "Big" one`, `back\slash`, "Zoë & co.", "x[y]{z}(;)"))
		}
	}
	outcome, _ := played.Outcome()
	if g.Result = ResultOf(outcome); outcome == rules.Ongoing {
		g.Result = Result(w.rng.IntN(5))
	}
	return g
}

// game = tags body terminator. Of an untagged game only what the body can say is kept.
func (w *grammar) game(g *Game, tagged, ended bool) {
	told := false // the result
	if !tagged {
		g.Tags = nil
	}
	for _, t := range g.Tags {
		w.tag(t.Name, t.Value)
	}
	if tagged && w.chance(70) {
		w.tag("Result", w.result(g.Result))
		told = true
	}
	if tag := gameTag(w.v); tagged && tag != "" && w.chance(70) {
		w.tag("GameType", w.pick(tag, strconv.Itoa(w.v.GameType), strings.ToLower(strings.ReplaceAll(tag, ",", ", "))))
	}
	if tagged && w.chance(30) {
		w.tag("Variant", w.pick(w.v.Name, strings.ToUpper(w.v.Name)))
	}
	special := g.Start() != w.v.Start()
	if special && tagged && w.chance(60) {
		w.tag("FEN", w.fen(g.Start()))
		special = false
	}
	if special {
		fmt.Fprintf(&w.b, "%s/FEN \"%s\"/", w.gap(), w.fen(g.Start()))
	}
	w.body(g)
	if tagged && w.chance(15) {
		w.write("\n")
		w.tag("FILENAME", "later.pdn") // tags behind the moves
		g.Tags.Set("FILENAME", "later.pdn")
	}
	w.terminator(g, told, ended)
}

// terminator = "*" | a result | nothing, where the tags of the next game or the end of the file
// follow.
func (w *grammar) terminator(g *Game, told, ended bool) {
	text := "*"
	switch {
	case !told && g.Result != Unknown:
		text = w.result(g.Result) // nowhere else is it said
	case told && w.chance(50):
		text = w.result(g.Result)
	}
	if told && !ended && g.Ply() > 0 { // tags alone need an end
		w.write("\n")
		return
	}
	w.write(w.pick(" ", "\n") + text + "\n")
	if text != "*" {
		w.write(w.pick("", "*\n")) // a separator behind the result
	}
}

// result = one of the texts of any family.
func (w *grammar) result(r Result) string {
	var texts []string
	for text, is := range resultTexts {
		if is == r {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return w.pick(texts...)
}

// tag = "[" name string "]", with blanks between; the quotes and backslashes of the string
// escaped.
func (w *grammar) tag(name, value string) {
	blank := func() string { return w.pick("", "", " ") }
	fmt.Fprintf(&w.b, "[%s%s%s\"%s\"%s]%s", blank(), name, w.pick(" ", "  ", "\t"), escape(value), blank(), w.pick("\n", "\r\n", " "))
}

// fen = a position in numbers or coordinates, perhaps in lower case, with a final dot or blanks.
func (w *grammar) fen(p rules.Position) string {
	text := w.v.FEN(p)
	if w.v.Algebraic && w.chance(50) {
		text = w.v.FENCoordinates(p)
	}
	switch w.rng.IntN(4) {
	case 0:
		text = strings.ToLower(text)
	case 1:
		text += "."
	case 2:
		text = strings.ReplaceAll(text, ",", ", ")
	}
	return text
}

// gap = white space, with a line of comment that is not kept now and then.
func (w *grammar) gap() string {
	return w.pick(" ", " ", " ", "\n", "\r\n", "\t", "  ", " \u00a0", "\n% a line for programs\n", " ; to the end of the line { ( $3\n", " ... ")
}

// body = { [ number ] move [ strength ] { comment | nag | variation } }
func (w *grammar) body(g *Game) {
	w.notes(g, 0)
	positions := g.Positions()
	for i, m := range g.Moves() {
		w.write(w.gap())
		w.number(g, i)
		w.write(w.move(positions[i], m))
		if w.chance(15) {
			mark := w.pick("!", "?", "!!", "??", "!?", "?!")
			g.Notes = append(g.Notes, Note{Ply: i + 1, NAG: nags[mark]})
			w.write(w.pick(mark, "("+mark+")", " "+mark))
		}
		w.notes(g, i+1)
		for w.chance(8) {
			w.write(w.gap())
			if variation, kept := w.variation(i, 3, positions[i]); kept {
				g.Variations = append(g.Variations, variation)
			}
		}
	}
}

// number = "" | digits "." | digits "..." | digits; the number says nothing.
func (w *grammar) number(g *Game, i int) {
	n := strconv.Itoa(moveNumber(g, i))
	if w.chance(5) {
		n = strconv.Itoa(w.rng.IntN(300))
	}
	switch w.rng.IntN(6) {
	case 0:
		w.write(n + ".")
	case 1, 2:
		w.write(n + ". ")
	case 3:
		w.write(n + "... ")
	case 4:
		w.write(n + ". ... ")
	}
}

// notes = { comment | nag }
func (w *grammar) notes(g *Game, ply int) {
	for w.chance(12) {
		w.write(w.gap())
		if w.chance(50) {
			n := w.pick("1", "7", "13", "146", "255")
			number, _ := strconv.Atoi(n)
			g.Notes = append(g.Notes, Note{Ply: ply, NAG: number})
			w.write("$" + n)
			continue
		}
		text := w.pick("a word", "[%clk 1:55:21]", "two\nlines", "32-28 was better (see $3)", "(?) [x] % ; /", "*", "½ point", "«»", "")
		if kept := oneLine(text); kept != "" {
			g.Notes = append(g.Notes, Comment(ply, kept))
		}
		w.write("{" + text + "}")
	}
}

// variation = "(" { number | move | comment | nag | variation } [ lost ] ")": it leaves the line
// at p, after so many moves. Without a move it is passed over.
func (w *grammar) variation(ply, depth int, p rules.Position) (Variation, bool) {
	v := Variation{Ply: ply}
	notes := func() {
		for w.chance(15) {
			if w.chance(50) {
				v.Notes = append(v.Notes, Note{Ply: len(v.Moves), NAG: 3})
				w.write(" $3 ")
				continue
			}
			v.Notes = append(v.Notes, Comment(len(v.Moves), "a ) in a comment"))
			w.write("{a ) in a comment}")
		}
	}
	w.write("(")
	notes()
	for range w.rng.IntN(6) {
		legal := w.v.AppendMoves(nil, p)
		if len(legal) == 0 {
			break
		}
		m := legal[w.rng.IntN(len(legal))]
		w.write(w.gap() + w.pick("", "1. ", "12... ") + w.move(p, m))
		v.Moves = append(v.Moves, m)
		w.write(w.pick("", " 1-0 ", " * ")) // a result says nothing here
		notes()
		if depth > 0 && w.chance(25) {
			w.write(w.gap())
			if inner, kept := w.variation(len(v.Moves)-1, depth-1, p); kept {
				v.Variations = append(v.Variations, inner)
			}
		}
		p = w.v.Play(p, m)
	}
	if w.chance(20) {
		w.lost(depth)
	}
	w.write(")")
	return v, len(v.Moves) > 0
}

// lost = what no board has, and then anything, which is passed over.
func (w *grammar) lost(depth int) {
	w.write(w.pick(" 99-98 ", " 0x0 ", ` /FEN "B::"/ `))
	for range w.rng.IntN(6) {
		switch w.rng.IntN(7) {
		case 0:
			w.write("{a ) in a comment}")
		case 1:
			if depth > 0 {
				w.write("(")
				w.lost(depth - 1)
				w.write(")")
			}
		case 2:
			w.write("$3 ")
		case 3:
			w.write(w.result(Result(w.rng.IntN(5))) + " ")
		case 4:
			w.write(w.pick("1. ", "12... "))
		default:
			w.write(w.pick("32-28 ", "19x30! ", "c3:e5 ", "47x38x24x13x36(?) ", "/FEN \"B::\"/ "))
		}
	}
}

// move = the short form | the long form | coordinates | numbers | a list of captured squares, with
// any sign between the squares, and zeros before the numbers. Where two captures share their ends
// it is a form that tells them.
func (w *grammar) move(p rules.Position, m rules.Move) string {
	v := *w.v
	if w.chance(30) {
		v.Algebraic = !v.Algebraic
	}
	short := v.FormatMove(m)
	text := short
	ambiguous := FormatMove(w.v, p, m) != w.v.FormatMove(m)
	if m.IsCapture() && (ambiguous || w.chance(40)) {
		text = FormatLong(&v, p, m)
	}
	sign := "-"
	if m.IsCapture() {
		sign = v.Capture
		if v.Capture != "-" || !ambiguous {
			sign = w.pick("x", "x", ":", "X", "×")
		}
		text = strings.ReplaceAll(text, v.Capture, sign)
	} else {
		text = strings.ReplaceAll(text, "-", w.pick("-", "-", "\u2010", "\u2011", "\u2013"))
	}
	squares := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("-x:X×\u2010\u2011\u2013", r) })
	switch {
	case v.Algebraic && w.chance(20):
		text = strings.Join(squares, "") // no sign at all
	case !v.Algebraic && w.chance(10):
		for i, s := range squares {
			squares[i] = strings.Repeat("0", 2-min(len(s), 2)) + s
		}
		between := "-"
		if m.IsCapture() {
			between = "x"
		}
		text = strings.Join(squares, between)
	case m.IsCapture() && !ambiguous && w.chance(10):
		var taken []string
		for _, s := range v.Board.AppendSquares(nil, m.Captured()) {
			taken = append(taken, v.SquareName(s))
		}
		text = short + w.pick("", " ") + "<" + strings.Join(taken, ",") + ">"
	}
	return text
}

// Files by the grammar are read as the games that they were made of, and written and read once
// more they are the same.
func TestGrammar(t *testing.T) {
	family(t, func(t *testing.T, v *rules.Variant) {
		for seed := range uint64(25) {
			w := &grammar{rng: rand.New(rand.NewPCG(seed, 77)), v: v}
			want := w.file(1 + int(seed%5))
			text := w.b.String()
			got, err := ParsePDN(v, text)
			if err != nil {
				t.Fatalf("seed %d: %v in\n%s", seed, err, text)
			}
			if len(got) != len(want) {
				t.Fatalf("seed %d: %d games, want %d, in\n%s", seed, len(got), len(want), text)
			}
			for i, g := range want {
				compareGames(t, fmt.Sprintf("seed %d, game %d", seed, i+1), g, got[i], text)
			}
			checkRewritten(t, v, got)
			checkLatin1(t, v, text, got)
		}
	})
}

func compareGames(t *testing.T, where string, want, got *Game, text string) {
	t.Helper()
	v := want.Variant()
	if a, b := v.FEN(want.Start()), v.FEN(got.Start()); a != b {
		t.Fatalf("%s begins at %s, want %s, in\n%s", where, b, a, text)
	}
	if !slices.Equal(want.Moves(), got.Moves()) {
		t.Fatalf("%s: moves %v, want %v, in\n%s", where, got.Moves(), want.Moves(), text)
	}
	outcome, _ := want.Outcome()
	if got.Result != want.Result && !(outcome == rules.Draw) {
		t.Fatalf("%s: result %s, want %s, in\n%s", where, got.Result, want.Result, text)
	}
	for _, tag := range want.Tags {
		if value := got.Tags.Get(tag.Name); value != tag.Value {
			t.Fatalf("%s: tag %s is %q, want %q, in\n%s", where, tag.Name, value, tag.Value, text)
		}
	}
	if d := cmp.Diff(want.Notes, got.Notes); d != "" {
		t.Fatalf("%s: notes: -want +got\n%s\nin\n%s", where, d, text)
	}
	if !reflect.DeepEqual(want.Variations, got.Variations) {
		t.Fatalf("%s: variations %v, want %v, in\n%s", where, got.Variations, want.Variations, text)
	}
}

// checkLatin1 reads a file once more in the other encoding, where it has the characters.
func checkLatin1(t *testing.T, v *rules.Variant, text string, want []*Game) {
	t.Helper()
	var b bytes.Buffer
	for _, r := range text {
		if r > 0xff {
			return
		}
		b.WriteByte(byte(r))
	}
	r := NewReader(&b, v)
	got, err := r.all()
	if err != nil || len(got) != len(want) {
		t.Fatalf("in Latin-1: %d games, %v, want %d", len(got), err, len(want))
	}
	for i := range got {
		if !slices.Equal(got[i].Moves(), want[i].Moves()) || !slices.Equal(got[i].Tags, want[i].Tags) ||
			!reflect.DeepEqual(got[i].Variations, want[i].Variations) || got[i].Result != want[i].Result {
			t.Fatalf("in Latin-1 game %d differs", i+1)
		}
	}
}
