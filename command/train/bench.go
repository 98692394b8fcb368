package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"damier/internal/cli"
	"damier/internal/shell"
	"damier/learner"
	"damier/learner/settings"
)

// bench is the command train bench: trainings from zero with a budget of CPU time, one for each
// seed.
type bench struct {
	*flags
	name, log, keep string
	seeds           []int
	games, visits   int
	against         []string
}

// benchCommand returns the command that compares ways to learn by the strength of their networks.
func (f *flags) benchCommand() *cobra.Command {
	b := bench{flags: f}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Train from zero with a budget of CPU time and several seeds, measure, and log the result",
		Long: `The bench of learning: for each seed a training from zero that may spend --cpu-minutes of CPU time, whatever else
the machine does meanwhile, without evaluations on the way; the refit comes on top. Then one measure of the best
network on the ladder of its variant, and as many games against each network of --against, all with --visits visits
a move, so that the machine's load changes nothing. Each trial is a line of JSON, printed and appended to --log, with
all that repeats it.

Ask one question at a time: the same budget, one setting changed, and as many seeds as tell a difference from luck.`,
		Example: `  train bench --cpu-minutes 10 --seeds 1,2,3 --name default --preset quick --log docs/experiments/bench.jsonl
  train bench --cpu-minutes 10 --seeds 1,2,3 --name "256 units" --preset quick --set net.width=256
  train bench --cpu-minutes 10 --set selfplay.search=alphabeta --against models/international.nnue`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return code(b.run(c)) },
	}
	p := c.Flags()
	p.StringVar(&b.name, "name", "", "what is tried, for the log")
	p.StringVar(&b.log, "log", "", "append the trials to this file")
	p.StringVar(&b.keep, "keep", "", "keep the runs in this directory (default: they are removed)")
	p.IntSliceVar(&b.seeds, "seeds", []int{1, 2, 3}, "a trial for each of these seeds")
	p.IntVar(&b.games, "games", 100, "games against each opponent at the end")
	p.IntVar(&b.visits, "visits", 200, "visits a move in these games")
	p.StringArrayVar(&b.against, "against", nil, "network that is an opponent too, a file; may be repeated")
	return c
}

// run runs a trial for each seed in its own directory, prints it and appends it to the log.
func (b *bench) run(c *cobra.Command) error {
	switch {
	case b.flags.run != "":
		return cli.Usagef("a bench makes its runs itself; --keep says where, --run has no meaning")
	case !(b.cpuMinutes > 0):
		return cli.Usagef("a bench needs a budget: --cpu-minutes 10, say")
	case len(b.seeds) == 0:
		return cli.Usagef("a bench needs a seed: --seeds 1,2,3, say")
	}
	for _, file := range b.against { // check them before the training
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("--against: %w", err)
		}
	}
	var log io.Writer = io.Discard
	if b.log != "" {
		file, err := os.OpenFile(b.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("log: %w", err)
		}
		defer file.Close()
		log = file
	}
	dir := b.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "damier-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	var all []learner.Trial
	for _, seed := range b.seeds {
		one, err := b.trial(c, filepath.Join(dir, fmt.Sprintf("%s-%d", b.variant, seed)), seed)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		all = append(all, one)
		err = json.NewEncoder(log).Encode(one)
		if err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(one)); err != nil {
			return err
		}
	}
	mean, deviation := learner.Spread(all, func(t learner.Trial) float64 { return t.Rating.Elo })
	fmt.Fprintf(os.Stderr, "%d trials: Elo %.0f on average, standard deviation between seeds %.0f\n", len(all), mean, deviation)
	for i, file := range b.against {
		mean, deviation := learner.Spread(all, func(t learner.Trial) float64 { return 100 * t.Matches[i].Score })
		fmt.Fprintf(os.Stderr, "%d trials against %s: %.1f %% on average, standard deviation between seeds %.1f\n", len(all), file, mean, deviation)
	}
	return nil
}

func (b *bench) trial(c *cobra.Command, dir string, seed int) (learner.Trial, error) {
	s, err := b.sources(c)
	if err != nil {
		return learner.Trial{}, err
	}
	s.Preset = b.preset
	resolved, err := settings.Resolve(method, s)
	if err != nil {
		return learner.Trial{}, err
	}
	asked := resolved.Asked()
	delete(asked, "seed") // the trial has a field for it
	s.Set["seed"] = strconv.Itoa(seed)
	for k, v := range map[string]string{
		"evaluation.every": "0", "evaluation.gate_games": "0",
		"evaluation.games": strconv.Itoa(b.games), "evaluation.visits": strconv.Itoa(b.visits),
	} {
		s.Set[k] = v
	}
	report := &learner.Console{Out: os.Stderr, Terminal: !b.quiet && term.IsTerminal(int(os.Stderr.Fd()))}
	t, err := learner.RunTrial(c.Context(), dir, method, s, b.against, report)
	if err != nil {
		return t, err
	}
	t.Name, t.Build, t.Settings = b.name, cli.Version(), asked
	t.Command = b.repeat(asked, seed)
	return t, nil
}

// repeat returns the command line that repeats one trial.
func (b *bench) repeat(asked map[string]string, seed int) string {
	words := []string{"train", "bench", "--preset", b.preset, "--cpu-minutes", fmt.Sprint(b.cpuMinutes),
		"--seeds", strconv.Itoa(seed), "--games", strconv.Itoa(b.games), "--visits", strconv.Itoa(b.visits)}
	for _, file := range b.against {
		words = append(words, "--against", shell.Word(file))
	}
	for _, k := range slices.Sorted(maps.Keys(asked)) {
		switch k {
		case "cpu_minutes", "minutes":
		default:
			words = append(words, "--set", shell.Word(k+"="+asked[k]))
		}
	}
	return strings.Join(words, " ")
}
