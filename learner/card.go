package learner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
)

// CardMatch is a match on a model card, a part of the output of `evaluate --json`.
type CardMatch struct {
	Variant      string  `json:"variant"`
	A            string  `json:"a"` // the model, with its limit for a move
	B            string  `json:"b"`
	Games        int     `json:"games"`
	Wins         int     `json:"wins"`
	Draws        int     `json:"draws"`
	Losses       int     `json:"losses"`
	Score        float64 `json:"score"` // in [0,1]
	ScoreLow     float64 `json:"score_low"`
	ScoreHigh    float64 `json:"score_high"`
	TimeOverruns [2]int  `json:"time_overruns"`
}

// Card is the content of a model card beyond what the run itself knows.
type Card struct {
	Model   string // file name under which the model is released
	Matches []CardMatch
	Notes   []string // paragraphs: known weaknesses, changes for the variant
	Picture string   // address of the picture of the curve, as written on the page; "" for none
}

// WriteCard writes the model card of the best network of the run in dir as Markdown: what was
// trained, how to train it again, how it learnt, and how strong it is. method is the method of the
// run. A match of another variant is an error.
func WriteCard(w io.Writer, dir string, method Method, card Card) error {
	view, err := OpenView(dir, method)
	if err != nil {
		return err
	}
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	config, err := ResolveRun(dir, nil, settings.Sources{})
	if err != nil {
		return err
	}
	path, err := m.bestNetwork(dir)
	if err != nil {
		return err
	}
	model, err := method.Load(path, view.Variant)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	recipe, err := config.Recipe(method)
	if err != nil {
		return err
	}
	for _, r := range card.Matches {
		if r.Variant != view.Variant.String() {
			return foreign("the match of %s against %s is of %s, the run of %s", r.A, r.B, r.Variant, view.Variant)
		}
	}

	var b strings.Builder
	fmt.Fprintf(&b, "# %s draughts: `%s`\n\n| | |\n|---|---|\n", title(view.Variant), card.Model)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{name}, args...)...)
	}
	totals := m.Games.Totals()
	row("rules", "%s", view.Variant)
	row("network", "%s, %s weights, %s bytes", model.Shape(), thousands(model.Size()), thousands(int(info.Size())))
	row("training", "%.2f CPU-hours, %s on the clock, %d generations, %s steps", m.CPUSeconds/3600, clock(time.Duration(m.Seconds*1e9)), m.Generation, thousands(m.Steps))
	row("games", "%s of self-play, %s searched positions; no game, weight or evaluation from elsewhere", thousands(totals.Games), thousands(totals.Rows))
	row("trained", "%s, seed %d", m.Created.Format("2006-01-02"), config.Seed)
	row("SHA-256", "`%s`", m.Best().SHA256)
	events, err := journal.Read(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	command := recipe.Command(budget(m, config.Config, events))
	if m.From != "" {
		row("began with", "the weights of `%s`", m.From)
		command += " --from " + m.From
	}
	fmt.Fprintf(&b, "\nMade again, by the same recipe if not to the bit, with\n\n    %s\n", command)
	b.WriteString(Strength(card.Matches))
	if err := card.curve(&b, events, view); err != nil {
		return err
	}
	writeRefits(&b, events, m)
	if len(card.Notes) > 0 {
		fmt.Fprintf(&b, "\n## Known of it\n\n%s\n", strings.Join(card.Notes, "\n\n"))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// writeRefits writes what came of refits: of those that the run has gone on with, and of that at its
// end.
func writeRefits(b *strings.Builder, events []journal.Event, m Manifest) {
	for _, e := range events {
		if r := e.Refit; r != nil && r.Adopted {
			fmt.Fprintf(b, "\nAfter generation %d a new network learnt the window, scored %.1f %% (%.1f to %.1f) in %d games of %d visits a move against the run's own, and took its place.\n",
				r.Generation, 100*r.Score, 100*r.Low, 100*r.High, r.Wins+r.Draws+r.Losses, r.Visits)
		}
	}
	if r := m.Refit; r != nil && r.Generation == m.Generation {
		which := "It is the network of this page."
		if r.File.Name == "" {
			which = "The latter is the network of this page."
		}
		fmt.Fprintf(b, "\nAt the end a new network learnt the window, and scored %.1f %% (%.1f to %.1f) in %d games of %d visits a move against the one that had learnt all the time. %s\n",
			100*r.Score, 100*r.Low, 100*r.High, r.Wins+r.Draws+r.Losses, r.Visits, which)
	}
}

// budget returns the CPU time that the generations of a run took, in whole minutes: what
// --cpu-minutes asks for. The time after the last of them, for the refit and the last evaluation,
// comes on top of it.
func budget(m Manifest, c settings.Config, events []journal.Event) float64 {
	minutes := m.CPUSeconds / 60
	for _, e := range events {
		if e.Kind == "generation" {
			minutes = 60 * e.CPUHours
		}
	}
	if c.CPUMinutes > 0 {
		minutes = min(minutes, c.CPUMinutes)
	}
	return math.Ceil(minutes)
}

// Strength returns the section of a card with the results of matches, "" if there are none.
func Strength(matches []CardMatch) string {
	if len(matches) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Strength\n\nGames in pairs with colours reversed from openings that self-play never begins with, `evaluate`.\n\n| player | against | games | result | score (95 %) |\n|---|---|---|---|---|\n")
	for _, m := range matches {
		fmt.Fprintf(&b, "| %s | %s | %d | +%d =%d -%d | %.1f %% (%.1f to %.1f) |\n", m.A, m.B, m.Games, m.Wins, m.Draws, m.Losses, 100*m.Score, 100*m.ScoreLow, 100*m.ScoreHigh)
	}
	for _, m := range matches {
		if m.TimeOverruns != [2]int{} {
			fmt.Fprintf(&b, "\nAgainst %s %d moves of the player and %d of the other side took longer than their time.\n", m.B, m.TimeOverruns[0], m.TimeOverruns[1])
		}
	}
	return b.String()
}

// curve writes the section of a card about the training curve.
func (card Card) curve(b *strings.Builder, events []journal.Event, view *View) error {
	var rows bytes.Buffer
	journal.Rate(view.Variant.Name, journal.Ratings(events))
	for _, e := range events {
		r := e.Evaluation
		if r == nil || !r.Rated() {
			continue
		}
		scores := make([]string, len(r.Rungs))
		for i, g := range r.Rungs {
			scores[i] = fmt.Sprintf("%s %.0f %%", strings.TrimPrefix(g.Rung, "alphabeta:"), 100*g.Score)
		}
		fmt.Fprintf(&rows, "| %.0f | %.2f | %d | %.0f (%.0f to %.0f) | %s |\n", e.Seconds/60, e.CPUHours, r.Generation, r.Elo, r.Low, r.High, strings.Join(scores, ", "))
	}
	if rows.Len() == 0 && card.Picture == "" {
		return nil
	}
	b.WriteString("\n## How it learnt\n\n")
	if rows.Len() > 0 {
		fmt.Fprintf(b, "Elo on [the ladder](../ladder.md), where the baseline at depth 1 has 0.\n\n| minute | CPU-hours | generation | Elo (95 %%) | scores |\n|---|---|---|---|---|\n%s", &rows)
	}
	if card.Picture != "" {
		fmt.Fprintf(b, "\n![How it learnt](%s)\n", card.Picture)
	}
	return nil
}

// title returns the name of a variant with a capital letter, for a heading.
func title(v *rules.Variant) string { return strings.ToUpper(v.Name[:1]) + v.Name[1:] }
