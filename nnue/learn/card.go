package learn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"damier/data"
	"damier/nnue"
)

// WriteCard writes the model card of a run's network as Markdown: what was trained, how it is made again, what it is
// worth, how it learnt. strength is the part about matches, a whole section or "", and notes are paragraphs.
func WriteCard(w io.Writer, dir, strength string, notes []string) error {
	if err := isRun(dir); err != nil {
		return err
	}
	r, err := load(dir, func(*Config) error { return nil })
	if err != nil {
		return err
	}
	model := filepath.Join(dir, modelFile)
	info, err := os.Stat(model)
	if err != nil {
		return err
	}
	generations, err := ReadMetrics(dir)
	if err != nil {
		return err
	}
	v := r.variant
	var b strings.Builder
	fmt.Fprintf(&b, "# %s%s draughts: `%s%s`\n\n| | |\n|---|---|\n", strings.ToUpper(v.Name[:1]), v.Name[1:], v.Name, nnue.Extension)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{name}, args...)...)
	}
	row("rules", "%s", v)
	row("network", "%d inputs, %d hidden units in each of two views, %d outputs; %d bytes", 4*v.Board.Squares(), r.Model.Width, nnue.Outputs, info.Size())
	row("training", "%.2f CPU-hours, %.0f minutes on the clock, %d generations", r.cpu/3600, r.seconds/60, r.Model.Generation)
	row("games", "%d of self-play, %d positions; no game, weight or evaluation from elsewhere", r.Model.Games, r.rows)
	row("seed", "%d", r.Config.Seed)
	budget := r.cpu
	if n := len(generations); n > 1 && generations[n-1].Refit != nil {
		budget = generations[n-2].CPUSeconds // the refit comes on top
	}
	fmt.Fprintf(&b, "\nMade again, by the same recipe if not to the bit, with\n\n    %s\n", r.Config.Command(math.Ceil(budget/30)/2))
	b.WriteString(strength)
	writeCurve(&b, generations)
	if len(notes) > 0 {
		fmt.Fprintf(&b, "\n## Known of it\n\n%s\n", strings.Join(notes, "\n\n"))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// isRun returns an error where dir holds no run.
func isRun(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, checkpointFile)); err != nil {
		return fmt.Errorf("%w: %s is not a run of train nnue: %v", data.ErrForeign, dir, err)
	}
	return nil
}

// curveLines is about how many lines the curve of a run has that was not measured on its way.
const curveLines = 10

// writeCurve writes how a run learnt: its measurements, or some of its generations if it has made none.
func writeCurve(b *strings.Builder, generations []Generation) {
	measured := slices.ContainsFunc(generations, func(g Generation) bool { return g.Match != nil })
	b.WriteString("\n## How it learnt\n\n")
	if measured {
		b.WriteString("Both sides search 4 plies, by the same search; the baseline has its hand-made evaluation.\n\n| CPU-minute | games | held-out loss | score against the baseline (95 %) |\n|---|---|---|---|\n")
	} else {
		b.WriteString("| CPU-minute | games | held-out loss |\n|---|---|---|\n")
	}
	every := max(len(generations)/curveLines, 1)
	for i, g := range generations {
		start := fmt.Sprintf("| %.1f | %d | %.4f |", g.CPUSeconds/60, g.Games, g.Loss)
		switch m := g.Match; {
		case m != nil:
			fmt.Fprintf(b, "%s %.1f %% (%.1f to %.1f) |\n", start, 100*m.Score, 100*m.Low, 100*m.High)
		case !measured && (len(generations)-1-i)%every == 0:
			fmt.Fprintln(b, start)
		}
	}
	if n := len(generations); n > 0 && generations[n-1].Refit != nil {
		m := generations[n-1].Refit
		which := "It is the model."
		if m.Score <= 0.5 {
			which = "The latter is the model."
		}
		fmt.Fprintf(b, "\nAt the end a new network learnt the window, the last line's, and scored %.1f %% (%.1f to %.1f) in %d games against the one that had learnt all the time, both at depth %d. %s\n",
			100*m.Score, 100*m.Low, 100*m.High, m.Wins+m.Draws+m.Losses, m.Depth, which)
	}
}

// ReadMetrics reads what a run has told of its generations.
func ReadMetrics(dir string) ([]Generation, error) {
	text, err := os.ReadFile(filepath.Join(dir, metricsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no generation yet
	}
	if err != nil {
		return nil, err
	}
	var all []Generation
	for lines, n := bufio.NewScanner(bytes.NewReader(text)), 1; lines.Scan(); n++ {
		var g Generation
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w: %v", filepath.Join(dir, metricsFile), n, data.ErrDamaged, err)
		}
		all = append(all, g)
	}
	return all, nil
}
