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
	"damier/learner"
)

// trials are what every bench of learning asks for: trainings from zero with a budget of CPU time, one for each seed.
type trials struct {
	*flags
	name, log, keep string
	seeds           []int
}

// register adds the flags.
func (t *trials) register(c *cobra.Command) {
	p := c.Flags()
	p.StringVar(&t.name, "name", "", "what is tried, for the log")
	p.StringVar(&t.log, "log", "", "append the trials to this file")
	p.StringVar(&t.keep, "keep", "", "keep the runs in this directory (default: they are removed)")
	p.IntSliceVar(&t.seeds, "seeds", []int{1, 2, 3}, "a trial for each of these seeds")
}

// runTrials runs a trial for each seed, in a directory of its own, prints it and appends it to the log.
func runTrials[T any](t *trials, trial func(dir string, seed int) (T, error)) ([]T, error) {
	switch {
	case t.flags.run != "":
		return nil, cli.Usagef("a bench makes its runs itself; --keep says where, --run has no meaning")
	case !(t.cpuMinutes > 0):
		return nil, cli.Usagef("a bench needs a budget: --cpu-minutes 10, say")
	case len(t.seeds) == 0:
		return nil, cli.Usagef("a bench needs a seed: --seeds 1,2,3, say")
	}
	var log io.Writer = io.Discard
	if t.log != "" {
		file, err := os.OpenFile(t.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		defer file.Close()
		log = file
	}
	dir := t.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "damier-bench-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	var all []T
	for _, seed := range t.seeds {
		one, err := trial(filepath.Join(dir, fmt.Sprintf("%s-%d", t.variant, seed)), seed)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		all = append(all, one)
		err = json.NewEncoder(log).Encode(one)
		if err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(one)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bench is the bench of learning for networks under tree search.
type bench struct {
	trials
	games, visits int
}

// benchCommand is the command that compares ways to learn by what their networks are worth in games.
func (f *flags) benchCommand() *cobra.Command {
	b := bench{trials: trials{flags: f}}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Train from zero with a budget of CPU time and several seeds, measure, and log the result",
		Long: `The bench of learning: for each seed a training from zero that may spend --cpu-minutes of CPU time, whatever else
the machine does meanwhile, without evaluations on the way; then one measure of the last network on the ladder of its
variant. Each trial is a line of JSON, printed and appended to --log, with all that repeats it.

Ask one question at a time: the same budget, one setting changed, and as many seeds as tell a difference from luck.`,
		Example: `  train bench --cpu-minutes 10 --seeds 1,2,3 --name default --preset quick --log docs/experiments/bench.jsonl
  train bench --cpu-minutes 10 --seeds 1,2,3 --name "nine taps" --preset quick --set net.arch=lattice --set net.taps=9`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return code(b.run(c)) },
	}
	b.register(c)
	p := c.Flags()
	p.IntVar(&b.games, "games", 100, "games against each rung of the ladder at the end")
	p.IntVar(&b.visits, "visits", 200, "visits a move in these games")
	return c
}

func (b *bench) run(c *cobra.Command) error {
	all, err := runTrials(&b.trials, func(dir string, seed int) (learner.Trial, error) { return b.trial(c, dir, seed) })
	if err != nil {
		return err
	}
	mean, deviation := learner.Spread(all)
	fmt.Fprintf(os.Stderr, "%d trials: Elo %.0f on average, standard deviation between seeds %.0f\n", len(all), mean, deviation)
	return nil
}

func (b *bench) trial(c *cobra.Command, dir string, seed int) (learner.Trial, error) {
	s, err := b.sources(c)
	if err != nil {
		return learner.Trial{}, err
	}
	s.Preset = b.preset
	resolved, err := learner.Resolve(s)
	if err != nil {
		return learner.Trial{}, err
	}
	asked := resolved.Asked()
	delete(asked, "seed") // it is told apart
	s.Set["seed"] = strconv.Itoa(seed)
	for k, v := range map[string]string{
		"evaluation.every": "0", "evaluation.gate_games": "0",
		"evaluation.games": strconv.Itoa(b.games), "evaluation.visits": strconv.Itoa(b.visits),
	} {
		s.Set[k] = v
	}
	report := &learner.Console{Out: os.Stderr, Terminal: !b.quiet && term.IsTerminal(int(os.Stderr.Fd()))}
	t, err := learner.RunTrial(c.Context(), dir, s, report)
	if err != nil {
		return t, err
	}
	t.Name, t.Build, t.Settings = b.name, cli.Version(), asked
	t.Command = b.repeat(asked, seed)
	return t, nil
}

// repeat returns the command line of one trial.
func (b *bench) repeat(asked map[string]string, seed int) string {
	words := []string{"train", "bench", "--preset", b.preset, "--cpu-minutes", fmt.Sprint(b.cpuMinutes),
		"--seeds", strconv.Itoa(seed), "--games", strconv.Itoa(b.games), "--visits", strconv.Itoa(b.visits)}
	for _, k := range slices.Sorted(maps.Keys(asked)) {
		switch k {
		case "cpu_minutes", "minutes":
		default:
			words = append(words, "--set", learner.ShellWord(k+"="+asked[k]))
		}
	}
	return strings.Join(words, " ")
}
