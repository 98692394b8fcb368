package train

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"damier/internal/cli"
	"damier/learner"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/tui"
	"damier/tui/watch"
)

// watchCommand returns the command that shows a run on the whole screen of a terminal.
func (f *flags) watchCommand() *cobra.Command {
	ascii := false
	c := &cobra.Command{
		Use:   "watch",
		Short: "Watch a run on the whole screen of a terminal, also over ssh",
		Long: `Watch a run on the whole screen of a terminal: generation, time left, Elo, losses, results of self-play and speed,
from its metrics.jsonl, looked at every two seconds. A finished run is shown too. It only reads.

Arrows scroll, q quits. It refuses where standard input or output is no terminal.`,
		Example: "  train watch --run runs/international\n  ssh HOST -t train watch --run runs/international",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(c *cobra.Command, _ []string) error { return f.watch(c, ascii) },
	}
	c.Flags().BoolVar(&ascii, "ascii", false, "draw in ASCII")
	return c
}

func (f *flags) watch(c *cobra.Command, ascii bool) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) || os.Getenv("TERM") == "dumb" {
		return cli.Usagef("train watch needs a terminal that shows a whole screen: standard input and output must both be one; the figures are in %s", filepath.Join(f.dir(), "metrics.jsonl"))
	}
	config, err := learner.ResolveRun(f.dir(), nil, settings.Sources{})
	if err != nil {
		return code(err)
	}
	size := int64(-1)
	r := watch.New(watch.Config{
		Title: f.dir() + ", " + config.Variant, Minutes: config.Minutes, CPUMinutes: config.CPUMinutes, Generations: config.Generations,
		Look: tui.NewLook(ascii, os.Getenv), Now: time.Now,
		Read: func() ([]journal.Event, bool, error) {
			s, err := os.Stat(filepath.Join(f.dir(), "metrics.jsonl"))
			if errors.Is(err, os.ErrNotExist) {
				return nil, false, nil // the run has just begun
			}
			if err != nil || s.Size() == size {
				return nil, false, err
			}
			events, err := journal.Read(f.dir())
			if err == nil {
				size = s.Size()
			}
			return events, err == nil, err
		},
	})
	if err := tui.Run(c.Context(), r, os.Stdin, os.Stdout); errors.Is(err, tui.ErrInterrupted) {
		return cli.WithCode(cli.Interrupted, errors.New(""))
	} else if err != nil {
		return err
	}
	return nil
}
