package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/learner"
	"damier/tables/learn"
)

// tablesCommand is the command that trains tables.
func (f *flags) tablesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tables",
		Short: "Train tables from zero: the evaluation of an alpha-beta search, the strongest play for a minute of CPU",
		Long: `Train tables, a network of patterns that is the evaluation of an alpha-beta search, from nothing but the rules
(package tables). It trains for ten minutes in runs/VARIANT-tables, or goes on with the run that is there. Ctrl-C stops
and loses nothing but the games under way. --preset ` + tablesPresets() + ` or --minutes says how long.

Settings, --set KEY=VALUE:
` + tablesSettings(),
		Example: `  train tables                                      international draughts, ten minutes
  train tables --variant russian --cpu-minutes 30   half an hour of CPU
  train tables --preset hour                        an hour; or go on with runs/international-tables to an hour in all
  train tables --set depth=3 --run runs/deeper      deeper searches in self-play
  evaluate --a tables:runs/international-tables/model.tables --b alphabeta --time 0.1s`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.tables(c) },
	}
	c.AddCommand(f.tablesCardCommand())
	return c
}

// tablesCardCommand is the command that writes the page of released tables.
func (f *flags) tablesCardCommand() *cobra.Command {
	var matches, notes []string
	c := &cobra.Command{
		Use:   "card",
		Short: "Print the model card of a run's tables",
		Example: `  evaluate --a tables:runs/international-tables/model.tables --b alphabeta --time 0.1s --games 100 --json > match.json
  train tables card --run runs/international-tables --match match.json > docs/models/international-tables.md`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			var all []learner.CardMatch
			for _, name := range matches {
				m, err := readMatch(name)
				if err != nil {
					return err
				}
				all = append(all, m)
			}
			return code(learn.WriteCard(os.Stdout, f.tablesDir(), learner.Strength(all), notes))
		},
	}
	c.Flags().StringArrayVar(&matches, "match", nil, "result of a match, as evaluate --json prints it; may be repeated")
	c.Flags().StringArrayVar(&notes, "note", nil, "a paragraph on what else is known of the tables; may be repeated")
	return c
}

// tablesDir is the directory of a run of tables.
func (f *flags) tablesDir() string {
	if f.run != "" {
		return f.run
	}
	return filepath.Join("runs", f.variant+"-tables")
}

// tablesPresets lists the presets and their lengths.
func tablesPresets() string {
	var all []string
	for _, p := range learn.Presets() {
		all = append(all, fmt.Sprintf("%s (%g)", p.Name, p.Minutes))
	}
	return strings.Join(all, ", ") + " minutes"
}

// tablesSettings lists the settings with their defaults.
func tablesSettings() string {
	d := learn.Default()
	return fmt.Sprintf(`  seed=%d actors=%d (0: one for each core) games=%d (of a measurement, both sides at depth 4)
  squares=%d (of the largest windows of the tables: 8 or 10)
  depth=%d nodes=%d (of a search of self-play) opening=%d (random moves at most; 0: a quarter of the squares) random=%g
  rows=%d (of a generation) window=%d passes=%g rate=%g decay=%g half=%g mix=%g
`, d.Seed, d.Actors, d.Games, d.Squares, d.Depth, d.Nodes, d.Opening, d.Random, d.Rows, d.Window, d.Passes, d.Rate, d.Decay, d.Half, d.Mix)
}

func (f *flags) tables(c *cobra.Command) error {
	for _, name := range []string{"config", "generations"} {
		if c.Flags().Changed(name) {
			return cli.Usagef("tables know no --%s: give --preset, --minutes or --cpu-minutes, and --set KEY=VALUE", name)
		}
	}
	dir := f.tablesDir()
	run, err := learn.Open(dir, func(s *learn.Config) error {
		if c.Flags().Changed("variant") {
			s.Variant = f.variant
		}
		if c.Flags().Changed("preset") {
			if err := s.SetPreset(f.preset); err != nil {
				return cli.WithCode(cli.Usage, err)
			}
		}
		if c.Flags().Changed("minutes") {
			s.Minutes = f.minutes
		}
		if c.Flags().Changed("cpu-minutes") {
			if s.CPUMinutes = f.cpuMinutes; !c.Flags().Changed("minutes") {
				s.Minutes = 0
			}
		}
		for _, kv := range f.set {
			key, value, ok := strings.Cut(kv, "=")
			if !ok {
				return cli.Usagef("--set %q is not KEY=VALUE", kv)
			}
			if err := s.Set(key, value); err != nil {
				return cli.Usagef("--set %s: %v", kv, err)
			}
		}
		if err := s.Validate(); err != nil {
			return cli.WithCode(cli.Usage, err)
		}
		return nil
	})
	if errors.Is(err, learn.ErrConflict) {
		return cli.WithCode(cli.Usage, err)
	}
	if err != nil {
		return code(err)
	}
	defer run.Close()
	out := os.Stderr
	fmt.Fprintf(out, "tables: %s, %d weights, in %s; %s\n", run.Model.Variant, 2*len(run.Model.Weights), dir, tablesBudget(run))
	err = run.Train(c.Context(), func(g learn.Generation) { writeGeneration(out, run, g) })
	if c.Context().Err() != nil {
		fmt.Fprintf(out, "stopped; go on with: %s tables --run %s\n", program(), dir)
		return err
	}
	if err != nil {
		return code(err)
	}
	fmt.Fprintf(out, "over. Play it: play --variant %s --player tables:%s\nto go on beyond its end: %s tables --run %s --minutes N\n",
		run.Config.Variant, filepath.Join(dir, "model.tables"), program(), dir)
	return nil
}

// program is how this program was called.
func program() string {
	if strings.Contains(os.Args[0], "go-build") { // where go run puts a program
		return "go run ./cmd/train"
	}
	return os.Args[0]
}

// tablesBudget says how far a run has come and how far it goes.
func tablesBudget(r *learn.Run) string {
	clock, _ := r.Seconds()
	s := fmt.Sprintf("generation %d after %s", r.Model.Generation, hms(clock))
	switch {
	case r.Config.Minutes > 0:
		s += fmt.Sprintf(", to %s on the clock", hms(60*r.Config.Minutes))
	case r.Config.CPUMinutes > 0:
		s += fmt.Sprintf(", to %s of CPU time", hms(60*r.Config.CPUMinutes))
	default:
		s += ", until it is stopped"
	}
	return s
}

// writeGeneration writes a line, and one more for a measurement.
func writeGeneration(w io.Writer, r *learn.Run, g learn.Generation) {
	left := ""
	if p := r.Progress(); p > 0 {
		left = fmt.Sprintf("; %.0f %%, %s to go", 100*p, hms(g.Seconds*(1-p)/p))
	}
	fmt.Fprintf(w, "%s gen %d: %d games, W %.0f D %.0f B %.0f %%; held-out loss %.4f (learnt %.4f); %.1fk positions/s on %d cores%s\n",
		hms(g.Seconds), g.Generation, g.Games, 100*g.White, 100*g.Draw, 100*g.Black, g.Loss, g.Train, g.PerSecond/1000, runtime.GOMAXPROCS(0), left)
	if m := g.Match; m != nil {
		fmt.Fprintf(w, "%s against the baseline, both at depth %d: +%d =%d -%d, %.1f %% (%.1f to %.1f)\n",
			hms(g.Seconds), m.Depth, m.Wins, m.Draws, m.Losses, 100*m.Score, 100*m.Low, 100*m.High)
	}
}

// hms writes seconds as h:mm:ss.
func hms(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}
