package selfplay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"damier/data"
	"damier/internal/cli"
	"damier/learner"
	"damier/learner/settings"
	"damier/mcts"
	"damier/rules"
	"damier/selfplay"
)

// measured is the result of the benchmark.
type measured struct {
	Variant string     `json:"variant"`
	CPU     string     `json:"cpu"`
	Cores   int        `json:"cores"`
	Network string     `json:"network"`
	Weights int        `json:"weights"`
	Leaves  float64    `json:"leaves_per_second"` // of tree searches, evaluated on one core
	Played  []selfPlay `json:"self_play"`
}

// selfPlay is the result of self-play on all cores with one search.
type selfPlay struct {
	Search     string  `json:"search"`
	Visits     int     `json:"visits,omitempty"`       // of a tree search
	Depth      int     `json:"depth,omitempty"`        // of alpha-beta
	Sims       float64 `json:"simulations_per_second"` // nodes, of alpha-beta
	Games      float64 `json:"games_per_second"`
	Rows       float64 `json:"rows_per_second"` // positions searched
	TreeRows   float64 `json:"tree_rows_per_second"`
	MillionHrs float64 `json:"hours_a_million"` // rows of either kind
}

func benchmarkCommand(f *flags) *cobra.Command {
	var asJSON bool
	var seconds float64
	var width int
	var profile string
	c := &cobra.Command{
		Use:   "benchmark",
		Short: "Measure the speed of this machine: leaves, simulations, games and rows a second",
		Example: `  selfplay benchmark
  selfplay benchmark --json
  selfplay benchmark --model gen-000100.nnue
  selfplay benchmark --width 256 --profile cpu.prof      then: go tool pprof -top cpu.prof`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if !(seconds > 0 && seconds <= 1e6) || f.actors < 1 {
				return cli.Usagef("--seconds and --actors must be above 0, and --seconds at most a million")
			}
			if width != 0 && f.model != "" {
				return cli.Usagef("--width and --model name a network each; leave one out")
			}
			m, err := benchmark(c.Context(), f, width, profile, time.Duration(seconds*float64(time.Second)))
			if err != nil {
				return code(err)
			}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(m)
			}
			m.print()
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().Float64Var(&seconds, "seconds", 4, "length of each measurement")
	c.Flags().StringVar(&f.model, "model", "", "model file to measure (default: random weights of the default network)")
	c.Flags().IntVar(&width, "width", 0, "random weights of a network of this width, a multiple of 32")
	c.Flags().StringVar(&profile, "profile", "", "write a CPU profile of the self-play by tree search to this new file")
	return c
}

func benchmark(ctx context.Context, f *flags, width int, profile string, length time.Duration) (*measured, error) {
	v, err := cli.Variant(cmp.Or(f.variant, rules.International.Name), "")
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	set := map[string]string{"variant": v.Name}
	if width != 0 {
		set["net.width"] = fmt.Sprint(width)
	}
	resolved, err := settings.Resolve(method, settings.Sources{Set: set})
	if err != nil {
		return nil, err
	}
	v, err = resolved.Lookup()
	if err != nil {
		return nil, err
	}
	model, err := method.New(v, resolved.Config)
	if f.model != "" {
		model, err = method.Load(f.model, v)
	}
	if err != nil {
		return nil, err
	}
	m := &measured{
		Variant: v.Name, CPU: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0),
		Network: model.Shape(), Weights: model.Size(),
	}
	if m.Leaves, err = measureLeaves(ctx, v, model, length/2); err != nil {
		return nil, err
	}
	stop := func() error { return nil }
	if profile != "" {
		if stop, err = startProfile(profile); err != nil {
			return nil, err
		}
	}
	for _, visits := range []int{16, 64, 200} {
		s, err := measureSelfPlay(ctx, v, model, resolved.SelfPlay, f.actors, selfplay.Stage{Visits: visits}, length)
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		m.Played = append(m.Played, s)
	}
	if err := stop(); err != nil {
		return nil, err
	}
	s, err := measureSelfPlay(ctx, v, model, resolved.SelfPlay, f.actors, selfplay.Stage{AlphaBeta: true}, length)
	m.Played = append(m.Played, s)
	return m, err
}

// startProfile writes a CPU profile until stop is called.
func startProfile(path string) (stop func() error, err error) {
	if err := cli.NewFile("profile", path); err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}

// measureLeaves returns the number of leaves of tree searches evaluated in a second on one core.
func measureLeaves(ctx context.Context, v *rules.Variant, model learner.Network, length time.Duration) (float64, error) {
	e, err := model.Evaluator()
	if err != nil {
		return 0, err
	}
	leaves := positions(v, 128)
	n, begun := 0, time.Now()
	for n == 0 || time.Since(begun) < length {
		if err := e.Evaluate(ctx, leaves); err != nil {
			return 0, err
		}
		n += len(leaves)
	}
	return float64(n) / time.Since(begun).Seconds(), nil
}

// positions returns leaves of random games.
func positions(v *rules.Variant, n int) []mcts.Leaf {
	var leaves []mcts.Leaf
	for seed := 0; len(leaves) < n; seed++ {
		g := rules.NewGame(v)
		for i := 0; !g.Over() && len(leaves) < n && i < 60; i++ {
			legal := g.Legal()
			leaves = append(leaves, mcts.Leaf{
				Position: g.Position(), Moves: append([]rules.Move(nil), legal...),
				Priors: make([]float32, len(legal)), Values: make([]float32, len(legal)),
			})
			if err := g.Play(legal[(seed*7+i*13)%len(legal)]); err != nil {
				panic("selfplay: a legal move is refused")
			}
		}
	}
	return leaves
}

// measureSelfPlay lets actors play in a stage for at least the given time, and until each has made a
// search. It counts the rows of all searches, also those of unfinished games.
func measureSelfPlay(ctx context.Context, v *rules.Variant, model learner.Network, config selfplay.Config, actors int, stage selfplay.Stage, length time.Duration) (selfPlay, error) {
	var (
		mu     sync.Mutex
		total  selfplay.Stats
		failed error
		wg     sync.WaitGroup
	)
	begun := time.Now()
	for i := range actors {
		a, err := selfplay.NewActor(v, config, selfplay.Identity{Seed: 1, Actor: fmt.Sprintf("b%d", i)}, 0, nil)
		if err != nil {
			return selfPlay{}, err
		}
		s, err := model.Searcher(v, config)
		if err != nil {
			return selfPlay{}, err
		}
		a.SetModel(s, model.ID(), 1)
		a.SetStage(stage)
		wg.Go(func() {
			var played selfplay.Stats
			var err error
			// A busy machine may search nothing in a short time: it then plays on, a move at least.
			for played.Searches == 0 && err == nil {
				moved := false
				err = a.Run(ctx, func() bool {
					enough := moved && time.Since(begun) >= length
					moved = true
					return enough
				}, func(data.Game) {})
				played.Add(a.TakeStats())
			}
			mu.Lock()
			defer mu.Unlock()
			total.Add(played)
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	if failed != nil {
		return selfPlay{}, failed
	}
	seconds := time.Since(begun).Seconds()
	s := selfPlay{
		Search: selfplay.Tree, Visits: stage.Visits,
		Sims:     float64(total.Simulations) / seconds,
		Games:    float64(total.Games) / seconds,
		Rows:     float64(total.Searches) / seconds,
		TreeRows: float64(total.Tree) / seconds,
	}
	if stage.AlphaBeta {
		s.Search, s.Depth = selfplay.AlphaBeta, config.Depth
	}
	s.MillionHrs = 1e6 / (s.Rows + s.TreeRows) / 3600
	return s, nil
}

func (m *measured) print() {
	fmt.Printf("%s, %d cores, network %s (%d weights)\n\n", m.Variant, m.Cores, m.Network, m.Weights)
	fmt.Printf("leaves of tree searches a second on one core: %.0f\n", m.Leaves)
	fmt.Println("\nself-play on all cores, without training beside it:")
	fmt.Printf("  %-22s %14s %8s %8s %12s %18s\n", "search", "simulations/s", "games/s", "rows/s", "tree rows/s", "a million rows in")
	for _, s := range m.Played {
		name := fmt.Sprintf("tree, %d visits", s.Visits)
		if s.Search == selfplay.AlphaBeta {
			name = fmt.Sprintf("alphabeta, depth %d", s.Depth)
		}
		fmt.Printf("  %-22s %14.0f %8.1f %8.0f %12.0f %16.2f h\n", name, s.Sims, s.Games, s.Rows, s.TreeRows, s.MillionHrs)
	}
}
