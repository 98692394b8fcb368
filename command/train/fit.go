package train

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/learner"
)

// fitCommand returns the command that compares settings on recorded games.
func (f *flags) fitCommand() *cobra.Command {
	var samples int
	var out string
	c := &cobra.Command{
		Use:   "fit",
		Short: "Train a new network on the games of a run, to compare settings in minutes",
		Long: `Train a new network, with other settings if you like, on the games that a run has in its window, and measure
it on games it has not seen: eight lines of JSON. The run itself is only read. The learning rate falls to 0 over the
fit, and follows generation.annealing.

It tells which network or learning rate learns the same games better. Which one plays better only games can tell:
write it with --out and let it play (evaluate --a tree:FILE).`,
		Example: `  train fit --run runs/international --samples 500000
  train fit --run runs/international --set net.width=256 --out wide.nnue`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if out != "" {
				if err := cli.NewFile("out", out); err != nil {
					return err
				}
			}
			s, err := f.sources(c)
			if err != nil {
				return err
			}
			lines := json.NewEncoder(os.Stdout)
			var broken error
			bars := map[string]*cli.Progress{}
			progress := func(work string, done, of int) {
				if bars[work] == nil && !f.quiet {
					bars[work] = cli.NewProgress(c.ErrOrStderr(), work)
				}
				if bar := bars[work]; bar != nil {
					if bar.Set(int64(done), int64(of)); done == of {
						bar.Finish()
					}
				}
			}
			model, err := learner.Fit(c.Context(), f.dir(), method, s, samples, func(p learner.FitPoint) {
				broken = errors.Join(broken, lines.Encode(p))
			}, progress)
			if err = errors.Join(err, broken); err != nil || out == "" {
				return code(err)
			}
			return learner.WriteModel(out, model)
		},
	}
	c.Flags().IntVar(&samples, "samples", 1_000_000, "rows to learn, repetitions counted")
	c.Flags().StringVar(&out, "out", "", "write the network to this new file")
	return c
}
