package train

import (
	"encoding/json"
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
	"damier/nnue/learn"
)

// nnueCommand is the command that trains a network for alpha-beta.
func (f *flags) nnueCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "nnue",
		Short: "Train the evaluation of an alpha-beta search from zero, the strongest play for a minute of CPU",
		Long: `Train an NNUE network, small and fast enough to be the evaluation of an alpha-beta search, from nothing but the
rules (package nnue). It trains for ten minutes in runs/VARIANT-nnue, or goes on with the run that is there. Ctrl-C stops
and loses nothing but the games under way. --minutes says how long, or --preset:
` + nnuePresets() + `.

Settings, --set KEY=VALUE:
` + nnueKeys(),
		Example: `  train nnue                                      international draughts, ten minutes
  train nnue --variant russian --cpu-minutes 30   half an hour of CPU
  train nnue --preset hour                        an hour; or go on with runs/international-nnue to an hour in all
  train nnue --set depth=3 --run runs/deeper      deeper searches in self-play
  evaluate --a nnue:runs/international-nnue/model.nnue --b alphabeta --time 0.1s`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.nnue(c) },
	}
	// What these flags say is not what they say of other runs.
	p := c.PersistentFlags()
	p.StringVar(&f.run, "run", "", "run directory (default runs/VARIANT-nnue)")
	p.StringVar(&f.nnuePreset, "preset", "quick", "length of the run: "+nnuePresets())
	for _, name := range nnueRefused {
		p.String(name, "", "")
		if err := p.MarkHidden(name); err != nil {
			panic(err) // it has just been defined
		}
	}
	c.AddCommand(f.nnueCardCommand(), f.nnueBenchCommand(), f.nnueFitCommand())
	return c
}

// nnueRefused are flags that other runs have.
var nnueRefused = []string{"config", "generations"}

// nnueCardCommand is the command that writes the page of a released network.
func (f *flags) nnueCardCommand() *cobra.Command {
	var matches, notes []string
	c := &cobra.Command{
		Use:   "card",
		Short: "Print the model card of such a run",
		Example: `  evaluate --a nnue:runs/international-nnue/model.nnue --b alphabeta --time 0.1s --games 100 --json > match.json
  train nnue card --run runs/international-nnue --match match.json > docs/models/international-nnue.md`,
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
			return code(learn.WriteCard(os.Stdout, f.nnueDir(), learner.Strength(all), notes))
		},
	}
	c.Flags().StringArrayVar(&matches, "match", nil, "result of a match, as evaluate --json prints it; may be repeated")
	c.Flags().StringArrayVar(&notes, "note", nil, "a paragraph on what else is known of the network; may be repeated")
	return c
}

// nnueFitCommand is the command that compares settings on recorded games.
func (f *flags) nnueFitCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "fit",
		Short: "Train a new network on the window of such a run, to compare settings in a minute",
		Long: `Train a new network, with other settings if you like, on the positions that a run has in its window, and measure it
on some that it has not seen: eight lines of JSON. The run stays as it is, and may not be under way. Settings that count
are seed, width, passes, rate, decay and mix; the rate falls to zero once.

A lower loss is no better play: write the network with --out and let it play (evaluate --a nnue:FILE,nodes=5000).`,
		Example: `  train nnue fit --run runs/international-nnue --out same.nnue
  train nnue fit --run runs/international-nnue --set width=128 --out wide.nnue`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			lines := json.NewEncoder(os.Stdout)
			var broken error
			model, err := learn.Fit(c.Context(), f.nnueDir(), f.nnueSettings(c), func(p learn.FitPoint) {
				broken = errors.Join(broken, lines.Encode(p))
			})
			if errors.Is(err, learn.ErrConflict) {
				return cli.WithCode(cli.Usage, err)
			}
			if err = errors.Join(err, broken); err != nil || out == "" {
				return code(err)
			}
			return model.SaveFile(out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the network to this file")
	return c
}

// nnueDir is the directory of a run.
func (f *flags) nnueDir() string {
	if f.run != "" {
		return f.run
	}
	name := f.variant
	for _, kv := range f.set {
		if k, v, ok := strings.Cut(kv, "="); ok && k == "variant" && !f.variantGiven() {
			name = v
		}
	}
	return filepath.Join("runs", name+"-nnue")
}

// nnuePresets lists the presets and their lengths.
func nnuePresets() string {
	var all []string
	for _, p := range learn.Presets() {
		all = append(all, fmt.Sprintf("%s (%g)", p.Name, p.Minutes))
	}
	return strings.Join(all, ", ") + " minutes"
}

// nnueKeys lists the settings with their defaults.
func nnueKeys() string {
	d := learn.Default()
	return fmt.Sprintf(`  seed=%d actors=%d (0: one for each core) games=%d (of a measurement, both sides at depth 4)
  width=%d (of the hidden layer)
  search=%s (of self-play: alphabeta or tree)
  depth=%d nodes=%d (of a search by alpha-beta) visits=%d (of a tree search) least=%d (visits that make a position of a tree one to learn; 0: none)
  opening=%d (random moves at most; 0: a quarter of the squares) random=%g
  rows=%d (of a generation) window=%d recent=%g (share of all positions that is kept) passes=%g rate=%g decay=%g mix=%g
  refit=%g (passes over the window by which a new network learns it when the run is over; the better of both is the model; 0: none)
`, d.Seed, d.Actors, d.Games, d.Width, d.Search, d.Depth, d.Nodes, d.Visits, d.Least, d.Opening, d.Random, d.Rows, d.Window, d.Recent, d.Passes, d.Rate, d.Decay, d.Mix, d.Refit)
}

// nnueSettings returns the function that changes settings as the flags ask.
func (f *flags) nnueSettings(c *cobra.Command) func(*learn.Config) error {
	return func(s *learn.Config) error {
		for _, name := range nnueRefused {
			if c.Flags().Changed(name) {
				return cli.Usagef("train nnue knows no --%s: give --preset, --minutes or --cpu-minutes, and --set KEY=VALUE", name)
			}
		}
		if c.Flags().Changed("variant") {
			s.Variant = f.variant
		}
		if c.Flags().Changed("preset") {
			if err := s.SetPreset(f.nnuePreset); err != nil {
				return cli.WithCode(cli.Usage, err)
			}
		}
		minutes, cpu := c.Flags().Changed("minutes"), c.Flags().Changed("cpu-minutes")
		if minutes || cpu { // what is not given is no bound, though there be one in the run that goes on
			s.Minutes, s.CPUMinutes = f.minutes, f.cpuMinutes
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
	}
}

func (f *flags) nnue(c *cobra.Command) error {
	dir := f.nnueDir()
	run, err := learn.Open(dir, f.nnueSettings(c))
	if errors.Is(err, learn.ErrConflict) {
		return cli.WithCode(cli.Usage, err)
	}
	if err != nil {
		return code(err)
	}
	defer run.Close()
	out := os.Stderr
	fmt.Fprintf(out, "nnue: %s, %d hidden units, in %s; %s\n", run.Model.Variant, run.Model.Width, dir, nnueBudget(run))
	if run.Missing > 0 {
		fmt.Fprintf(out, "warning: files of the window are gone, and with them %d positions; the run goes on and fills it again\n", run.Missing)
	}
	err = run.Train(c.Context(), func(g learn.Generation) { writeGeneration(out, run, g) }, func(p learn.FitPoint) {
		clock, _ := run.Seconds()
		fmt.Fprintf(out, "%s a new network learns the window: %.1f of %.1f million examples; held-out loss %.4f (learnt %.4f)\n",
			hms(clock), float64(p.Examples)/1e6, float64(p.Of)/1e6, p.Loss, p.Train)
	})
	if c.Context().Err() != nil {
		fmt.Fprintf(out, "stopped; go on with: %s nnue --run %s\n", program(), dir)
		return err
	}
	if err != nil {
		return code(err)
	}
	fmt.Fprintf(out, "over. Play it: play --variant %s --model %s\nto go on beyond its end: %s nnue --run %s --minutes N\n",
		run.Config.Variant, filepath.Join(dir, "model.nnue"), program(), dir)
	return nil
}

// program is how this program was called.
func program() string {
	if strings.Contains(os.Args[0], "go-build") { // where go run puts a program
		return "go run ./cmd/train"
	}
	return os.Args[0]
}

// nnueBudget says how far a run has come and how far it goes.
func nnueBudget(r *learn.Run) string {
	clock, _ := r.Seconds()
	s := fmt.Sprintf("generation %d after %s", r.Model.Generation, hms(clock))
	switch {
	case r.Config.Minutes > 0 && r.Config.CPUMinutes > 0:
		s += fmt.Sprintf(", to %s on the clock or %s of CPU time", hms(60*r.Config.Minutes), hms(60*r.Config.CPUMinutes))
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
	if seconds, ok := r.Left(); ok {
		left = fmt.Sprintf("; %.0f %%, %s to go", 100*r.Progress(), hms(seconds))
	}
	if g.Refit == nil {
		fmt.Fprintf(w, "%s gen %d: %d games, W %.0f D %.0f B %.0f %%; held-out loss %.4f (learnt %.4f); %.1fk positions/s on %d cores%s\n",
			hms(g.Seconds), g.Generation, g.Games, 100*g.White, 100*g.Draw, 100*g.Black, g.Loss, g.Train, g.PerSecond/1000, runtime.GOMAXPROCS(0), left)
	}
	if g.Gone > 0 {
		fmt.Fprintf(w, "warning: %d files of the window were deleted by somebody else; the run goes on, but one that is stopped now lacks their positions\n", g.Gone)
	}
	if m := g.Refit; m != nil {
		which := "it is the model"
		if m.Score <= 0.5 {
			which = "the old one stays the model"
		}
		fmt.Fprintf(w, "%s the new network against the one that has learnt all the time, both at depth %d: +%d =%d -%d, %.1f %% (%.1f to %.1f): %s\n",
			hms(g.Seconds), m.Depth, m.Wins, m.Draws, m.Losses, 100*m.Score, 100*m.Low, 100*m.High, which)
	}
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
