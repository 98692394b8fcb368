package notation

import (
	"slices"
	"strings"

	"damier/rules"
)

// Result is the result of a PDN game. In addition to [rules.Outcome] it can say that both sides
// lost.
type Result uint8

// The results; Unknown is "*".
const (
	Unknown Result = iota
	WhiteWin
	BlackWin
	DrawnGame
	BothLose
)

// ResultOf returns the result for an outcome.
func ResultOf(o rules.Outcome) Result { return Result(o) }

// Outcome returns r as an outcome. Unknown and BothLose are [rules.Ongoing].
func (r Result) Outcome() rules.Outcome {
	if r == BothLose {
		return rules.Ongoing
	}
	return rules.Outcome(r)
}

// String returns the result in the two-point code: "2-0", "0-2", "1-1", "0-0" or "*".
func (r Result) String() string { return [...]string{"*", "2-0", "0-2", "1-1", "0-0"}[r] }

// resultTexts are the results of all families as files write them. None of them is a move: there
// is no square 0, and no move 1-1.
var resultTexts = map[string]Result{
	"*":   Unknown,
	"2-0": WhiteWin, "1-0": WhiteWin,
	"0-2": BlackWin, "0-1": BlackWin,
	"1-1": DrawnGame, "1/2-1/2": DrawnGame, "½-½": DrawnGame, "0.5-0.5": DrawnGame,
	"0-0": BothLose,
}

// Text returns r in the code of the variant's game type: two points for a win in international and
// Canadian draughts, one elsewhere.
func (r Result) Text(v *rules.Variant) string {
	if v.GameType == 20 || v.GameType == 27 {
		return r.String()
	}
	return [...]string{"*", "1-0", "0-1", "1/2-1/2", "0-0"}[r]
}

// Tag is one line of a PDN header: [Name "Value"].
type Tag struct{ Name, Value string }

// Tags are the tags of a game in their order, each name once.
type Tags []Tag

// Get returns the value of a tag, "" if it is absent.
func (t Tags) Get(name string) string {
	if i := t.index(name); i >= 0 {
		return t[i].Value
	}
	return ""
}

// Has reports whether the tag is present, even if its value is empty.
func (t Tags) Has(name string) bool { return t.index(name) >= 0 }

// Set replaces the value of a tag, or appends the tag.
func (t *Tags) Set(name, value string) {
	if i := t.index(name); i >= 0 {
		(*t)[i].Value = value
		return
	}
	*t = append(*t, Tag{name, value})
}

func (t Tags) index(name string) int {
	return slices.IndexFunc(t, func(x Tag) bool { return strings.EqualFold(x.Name, name) })
}

// Note is an annotation of a move: a comment or a numeric annotation glyph.
type Note struct {
	Ply  int    // number of moves of the game before it
	NAG  int    // the glyph, 1 for "!" and so on; -1 for a comment
	Text string // the comment, without line breaks
}

// Comment returns a comment that follows the given number of moves.
func Comment(ply int, text string) Note { return Note{Ply: ply, NAG: -1, Text: text} }

// Game is a PDN game.
type Game struct {
	*rules.Game

	Tags  Tags
	Notes []Note // in the order of the text, Ply ascending

	// Variations are alternatives to the moves of the game, Ply ascending.
	Variations []Variation

	// Result is the result in the file. It may say more than the moves do; the Outcome then agrees
	// with it, as far as the rules allow.
	Result Result
}

// NewGame returns a game for writing: g with its result, and the tags.
func NewGame(g *rules.Game, tags Tags) *Game {
	outcome, _ := g.Outcome()
	return &Game{Game: g, Tags: tags, Result: ResultOf(outcome)}
}

// settle makes the outcome of the game agree with the result in the file. A side without a legal
// move has lost whatever the file says. A draw by rule stands unless the file names a winner,
// because people may not claim it.
func (g *Game) settle() {
	outcome, _ := g.Outcome()
	lost := outcome == rules.WhiteWins || outcome == rules.BlackWins
	switch want := g.Result.Outcome(); {
	case g.Result == Unknown && outcome != rules.Ongoing:
		g.Result = ResultOf(outcome)
	case lost || want == outcome:
		return
	case want == rules.Ongoing:
		g.End(rules.Ongoing, rules.NoReason)
	default:
		reason := rules.Adjudication
		if want == rules.Draw {
			reason = rules.Agreement
		}
		if told := rules.Reason(g.Tags.Get("Termination")); slices.Contains(rules.Reasons(), told) {
			reason = told
		}
		g.End(want, reason)
	}
}
