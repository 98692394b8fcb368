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
	"strings"

	"damier/data"
	"damier/tables"
)

// WriteCard writes the model card of the tables of a run as Markdown: what was trained, how it is made again, what it is
// worth, how it learnt. strength is the part about matches, a whole section or "", and notes are paragraphs.
func WriteCard(w io.Writer, dir, strength string, notes []string) error {
	if _, err := os.Stat(filepath.Join(dir, checkpointFile)); err != nil {
		return fmt.Errorf("%w: %s is not a run of tables: %v", data.ErrForeign, dir, err)
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
	used := 0
	for _, x := range r.Model.Weights {
		if x != (tables.Weight{}) {
			used++
		}
	}
	v := r.variant
	var b strings.Builder
	fmt.Fprintf(&b, "# %s%s draughts: `%s%s`\n\n| | |\n|---|---|\n", strings.ToUpper(v.Name[:1]), v.Name[1:], v.Name, tables.Extension)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{name}, args...)...)
	}
	row("rules", "%s", v)
	row("tables", "%d features of two weights, %d of them learnt, %d bytes", len(r.Model.Weights), used, info.Size())
	row("training", "%.2f CPU-hours, %.0f minutes on the clock, %d generations", r.cpu/3600, r.seconds/60, r.Model.Generation)
	row("games", "%d of self-play, %d positions; no game, weight or evaluation from elsewhere", r.Model.Games, r.rows)
	row("seed", "%d", r.Config.Seed)
	fmt.Fprintf(&b, "\nMade again, by the same recipe if not to the bit, with\n\n    %s\n", r.Config.Command(math.Ceil(r.cpu/30)/2))
	b.WriteString(strength)
	b.WriteString("\n## How it learnt\n\nBoth sides search 4 plies, by the same search; the baseline has its hand-made evaluation.\n\n| CPU-minute | games | held-out loss | score against the baseline (95 %) |\n|---|---|---|---|\n")
	for _, g := range generations {
		if m := g.Match; m != nil {
			fmt.Fprintf(&b, "| %.1f | %d | %.4f | %.1f %% (%.1f to %.1f) |\n", g.CPUSeconds/60, g.Games, g.Loss, 100*m.Score, 100*m.Low, 100*m.High)
		}
	}
	if len(notes) > 0 {
		fmt.Fprintf(&b, "\n## Known of it\n\n%s\n", strings.Join(notes, "\n\n"))
	}
	_, err = io.WriteString(w, b.String())
	return err
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
