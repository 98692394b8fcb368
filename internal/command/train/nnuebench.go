package train

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/nnue/learn"
)

// nnueBench is the bench of learning for networks of package nnue.
type nnueBench struct {
	trials
	learn.Bench
}

// nnueBenchCommand is the command that compares ways to learn by what their networks are worth in games.
func (f *flags) nnueBenchCommand() *cobra.Command {
	b := nnueBench{trials: trials{flags: f}}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Train such networks from zero with a budget of CPU time and several seeds, measure, and log the result",
		Long: `The bench of learning: for each seed a training from zero that may spend --cpu-minutes of CPU time, whatever else
the machine does meanwhile, without measurements on the way; the refit comes on top. Then --games games against the
baseline, and as many against each network of --against, all with --nodes nodes a move, so that the machine's load
changes nothing. Each trial is a line of JSON, printed and appended to --log, with all that repeats it.

Ask one question at a time: the same budget, one setting changed, and as many seeds as tell a difference from luck.`,
		Example: `  train nnue bench --cpu-minutes 2.5 --name default --log docs/experiments/nnue-bench.jsonl
  train nnue bench --cpu-minutes 2.5 --name "six passes" --set passes=6 --against models/international.nnue`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return code(b.run(c)) },
	}
	b.register(c)
	p := c.Flags()
	p.IntVar(&b.Games, "games", 300, "games against each opponent at the end")
	p.Uint64Var(&b.Nodes, "nodes", 5000, "nodes a move in these games, for both sides")
	p.StringArrayVar(&b.Against, "against", nil, "network that is an opponent too, a file; may be repeated")
	return c
}

func (b *nnueBench) run(c *cobra.Command) error {
	switch {
	case b.Games < 2 || b.Games%2 != 0:
		return cli.Usagef("--games %d: give an even number, for every opening is played with both colours", b.Games)
	case b.Nodes == 0:
		return cli.Usagef("--nodes 0: a move needs a budget, 5000, say")
	}
	all, err := runTrials(&b.trials, func(dir string, seed int) (learn.Trial, error) { return b.trial(c, dir, seed) })
	if errors.Is(err, learn.ErrConflict) {
		return cli.WithCode(cli.Usage, err)
	}
	if err != nil {
		return err
	}
	for i, m := range all[0].Matches {
		mean, deviation := learn.Spread(all, i)
		fmt.Fprintf(os.Stderr, "%d trials against %s: %.1f %% on average, standard deviation between seeds %.1f\n", len(all), m.Opponent, 100*mean, 100*deviation)
	}
	return nil
}

// trial trains and measures with a seed.
func (b *nnueBench) trial(c *cobra.Command, dir string, seed int) (learn.Trial, error) {
	change := b.nnueSettings(c)
	t, err := b.Trial(c.Context(), dir, func(s *learn.Config) error {
		if err := change(s); err != nil {
			return err
		}
		s.Seed, s.Games = uint64(seed), 0
		return nil
	}, func(r *learn.Run, g learn.Generation) { writeGeneration(os.Stderr, r, g) })
	if err != nil {
		return t, err
	}
	t.Name, t.Build, t.Settings = b.name, cli.Version(), map[string]string{}
	words := []string{"train", "nnue", "bench", "--variant", b.variant, "--cpu-minutes", fmt.Sprint(b.cpuMinutes),
		"--seeds", strconv.Itoa(seed), "--games", strconv.Itoa(b.Games), "--nodes", strconv.FormatUint(b.Nodes, 10)}
	for _, file := range b.Against {
		words = append(words, "--against", file)
	}
	for _, kv := range b.set {
		key, value, _ := strings.Cut(kv, "=")
		t.Settings[key] = value
		words = append(words, "--set", kv)
	}
	t.Command = strings.Join(words, " ")
	return t, nil
}
