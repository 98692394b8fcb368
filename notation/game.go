package notation

import (
	"slices"
	"strings"

	"damier/rules"
)

// Result is the result of a PDN game. It knows one thing that [rules.Outcome] does not: that both sides lost.
type Result uint8

// The results; Unknown is "*".
const (
	Unknown Result = iota
	WhiteWin
	BlackWin
	DrawnGame
	BothLose
)

// ResultOf returns the result that an outcome is written as.
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

// resultTexts are the results as files have them, of every family. A move is never among them: there is
// no square 0, and no move 1-1.
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

// Has reports whether the tag is there, be its value empty.
func (t Tags) Has(name string) bool { return t.index(name) >= 0 }

// Set sets a tag, at its place or at the end.
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

// Note is what was written beside a move: a comment or a numeric annotation glyph.
type Note struct {
	Ply  int    // after how many moves of the game it stands
	NAG  int    // the glyph, 1 for "!" and so on; -1 for a comment
	Text string // the comment, without line breaks
}

// Comment returns a comment that stands after the given number of moves.
func Comment(ply int, text string) Note { return Note{Ply: ply, NAG: -1, Text: text} }

// Game is a game as PDN has it.
type Game struct {
	*rules.Game

	Tags  Tags
	Notes []Note // in the order of the text, Ply ascending

	// Variations leave the moves of the game, Ply ascending.
	Variations []Variation

	// Result is the result as the file gives it. It may say more than the moves, which the Outcome then
	// agrees with, as far as the rules allow.
	Result Result
}

// NewGame returns a game to be written: g, its result, and the tags.
func NewGame(g *rules.Game, tags Tags) *Game {
	outcome, _ := g.Outcome()
	return &Game{Game: g, Tags: tags, Result: ResultOf(outcome)}
}

// settle makes the outcome of the game agree with the result the file gives. A side without a move has lost
// whatever the file says; a draw by rule stands only if the file does not name a winner, for between people
// it may go unclaimed.
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
