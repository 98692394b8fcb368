package review

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/tactics"
)

// evaluation begins the comments that Annotate writes.
const evaluation = "[%eval "

// Annotate recognizes by these what an earlier review wrote.
var (
	evaluated = regexp.MustCompile(`^\[%eval [^]]*\] *`)        // also by other programs
	scored    = regexp.MustCompile(`^\[%eval [+-]\d+\.\d\d\]$`) // as evalText writes it
	remarked  = func() *regexp.Regexp {                         // the words behind an evaluation
		wins := `wins (the game|a man|[\d.]+ men)( \([a-z, ]+\))?`
		one := `((doubtful|mistake|blunder), costs \d\.\d\d of the score|` +
			`combination: ` + wins + `|missed combination: \S+, ` + wins + `|` +
			`allows the combination \S+, ` + wins + `|endgame table: (a draw|` +
			`(White|Black) wins in \d+ plies(, unless a move count ends the game before)?))`
		return regexp.MustCompile(`^` + one + `(; ` + one + `)*( |$)`)
	}()
)

// mostMen bounds a score in men: beyond it a game is won.
const mostMen = 10

// longestLine is how many moves of a better line are written.
const longestLine = 8

// Men returns White's expected score as a lead in men, within ±10.
func Men(score float64) float64 {
	return min(max(engine.Men(score), -mostMen), mostMen)
}

// Annotate returns g with what the review found: behind every move its glyph and a comment with
// the score in men for White, as in [%eval -0.35]; at a mark what it cost, the better line as a
// variation, and the combination that was missed or allowed; where endgame tables know the
// position, their verdict when it changes. Tags say how accurate the players were. What an earlier
// review wrote and evaluations of other programs are left out; all else of g stays. A move that g
// judges itself, by a glyph from $1 to $6, gets no other. by, if not empty, is the tag Annotator. g
// is not changed.
func (r *Review) Annotate(g *notation.Game, by string) *notation.Game {
	out := *g
	out.Tags = slices.Clone(g.Tags)
	if by != "" {
		out.Tags.Set("Annotator", by)
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		name, side := [2]string{"WhiteAccuracy", "BlackAccuracy"}[c], r.Of(c)
		if side.Moves > 0 {
			out.Tags.Set(name, fmt.Sprintf("%.1f", side.Accuracy))
		} else if out.Tags.Has(name) {
			out.Tags.Set(name, "")
		}
	}
	out.Notes, out.Variations = nil, nil
	old := own(g.Notes)
	variations := slices.DeleteFunc(slices.Clone(g.Variations), ours)
	for i := 0; i <= len(r.Plies); i++ {
		if i > 0 {
			p := &r.Plies[i-1]
			if glyph := p.glyph(); glyph != 0 && !judged(old, i) {
				out.Notes = append(out.Notes, notation.Note{Ply: i, NAG: glyph})
			}
			out.Notes = append(out.Notes, notation.Comment(i, r.comment(i-1, g.Positions())))
		}
		for ; len(old) > 0 && old[0].Ply <= i; old = old[1:] {
			out.Notes = append(out.Notes, old[0])
		}
	}
	for i := range r.Plies {
		for ; len(variations) > 0 && variations[0].Ply <= i; variations = variations[1:] {
			out.Variations = append(out.Variations, variations[0])
		}
		if p := &r.Plies[i]; p.Mark != "" {
			line := p.Line[:min(len(p.Line), longestLine)]
			out.Variations = append(out.Variations, notation.Variation{
				Ply: i, Moves: line, Notes: []notation.Note{notation.Comment(1, evalText(p.BestScore))},
			})
		}
	}
	out.Variations = append(out.Variations, variations...)
	return &out
}

// own returns the notes without evaluations, and without the words and glyphs of a review.
func own(notes []notation.Note) []notation.Note {
	var kept []notation.Note
	for _, n := range notes {
		score := evaluated.FindString(n.Text)
		if n.NAG >= 0 || score == "" {
			kept = append(kept, n)
			continue
		}
		words := n.Text[len(score):]
		rest := remarked.ReplaceAllString(words, "")
		if glyph := glyphOf(words); glyph != 0 && rest != words {
			// A review writes its glyph right before its comment.
			if k := len(kept) - 1; k >= 0 && kept[k].Ply == n.Ply && kept[k].NAG == glyph {
				kept = kept[:k]
			}
		}
		if rest != "" {
			kept = append(kept, notation.Comment(n.Ply, rest))
		}
	}
	return kept
}

// glyphOf returns the glyph that a review writes with its words, 0 for none.
func glyphOf(words string) int {
	if strings.HasPrefix(words, "combination: ") {
		return 1
	}
	mark, _, _ := strings.Cut(words, ",")
	return Mark(mark).Glyph()
}

// judged reports whether notes have a glyph, $1 to $6, that judges the move before ply i.
func judged(notes []notation.Note, i int) bool {
	return slices.ContainsFunc(notes, func(n notation.Note) bool {
		return n.Ply == i && n.NAG >= 1 && n.NAG <= 6
	})
}

// ours reports whether a variation is of a review: its only note is the score of the first move.
func ours(v notation.Variation) bool {
	return len(v.Notes) == 1 && v.Notes[0].Ply == 1 && len(v.Variations) == 0 &&
		scored.MatchString(v.Notes[0].Text)
}

// glyph is that of the mark, or $1 (!) for a combination that was played.
func (p *Ply) glyph() int {
	if p.Mark == "" && p.Found {
		return 1
	}
	return p.Mark.Glyph()
}

func evalText(score float64) string { return fmt.Sprintf("%s%+.2f]", evaluation, noZero(Men(score))) }

// noZero returns x, or 0 where x would be written as -0.00.
func noZero(x float64) float64 {
	if math.Abs(x) < 0.005 {
		return 0
	}
	return x
}

// comment returns what is written behind move i.
func (r *Review) comment(i int, positions []rules.Position) string {
	p := &r.Plies[i]
	words := []string{evalText(p.Score)}
	if p.Mark != "" {
		words = append(words, fmt.Sprintf("%s, costs %.2f of the score", p.Mark, p.Loss))
	}
	switch {
	case p.Found:
		words = append(words, "combination: "+Describe(p.Combination))
	case p.Combination != nil:
		line := p.Combination
		first := notation.FormatMove(r.Variant, positions[i], line.Line[0])
		words = append(words, fmt.Sprintf("missed combination: %s, %s", first, Describe(line)))
	}
	if p.Threat != nil {
		first := notation.FormatMove(r.Variant, positions[i+1], p.Threat.Line[0])
		words = append(words, fmt.Sprintf("allows the combination %s, %s", first, Describe(p.Threat)))
	}
	if v := p.Verdict; v != nil && (i == 0 || r.Plies[i-1].Verdict == nil || r.Plies[i-1].Verdict.Outcome != v.Outcome) {
		words = append(words, "endgame table: "+v.String())
	}
	if len(words) == 1 {
		return words[0]
	}
	return words[0] + " " + strings.Join(words[1:], "; ")
}

// String says the verdict in words: "a draw", "White wins in 12 plies".
func (v *Verdict) String() string {
	if v.Outcome == rules.Draw {
		return "a draw"
	}
	winner := "White"
	if v.Outcome == rules.BlackWins {
		winner = "Black"
	}
	text := fmt.Sprintf("%s wins in %d plies", winner, v.Plies)
	if !v.Sure {
		text += ", unless a move count ends the game before"
	}
	return text
}

// Describe says what a combination wins, and its themes by the names of package tactics.
func Describe(t *tactics.Tactic) string {
	text := "wins the game"
	if t.Gain != tactics.Won {
		text = fmt.Sprintf("wins %g men", float64(t.Gain)/tactics.Man)
		if t.Gain == tactics.Man {
			text = "wins a man"
		}
	}
	if len(t.Themes) == 0 {
		return text
	}
	var names []string
	for _, theme := range t.Themes {
		names = append(names, string(theme))
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}
