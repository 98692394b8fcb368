package selfplay

import (
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
	"damier/internal/simd"
	"damier/learner"
	"damier/mcts"
	"damier/net"
	"damier/rules"
	"damier/selfplay"
)

// measured is what the benchmark found.
type measured struct {
	Variant string `json:"variant"`
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Network string `json:"network"`
	Weights int    `json:"weights"`

	// Evaluations of positions in a second on one core, by precision and instruction set, full batches.
	Evaluations []evaluations `json:"evaluations"`
	SelfPlay    []selfPlay    `json:"self_play"`
}

// evaluations is how fast a precision is on an instruction set.
type evaluations struct {
	Precision string  `json:"precision"`
	Set       string  `json:"instruction_set"`
	PerSecond float64 `json:"per_second"`
}

// selfPlay is self-play on all cores at one setting of visits.
type selfPlay struct {
	Precision  string  `json:"precision"`
	Full       int     `json:"full_visits"`
	Cheap      int     `json:"cheap_visits"`
	Sims       float64 `json:"simulations_per_second"`
	Games      float64 `json:"games_per_second"`
	Rows       float64 `json:"rows_per_second"`
	Fill       float64 `json:"fill"`            // of the network's blocks
	Cached     float64 `json:"cached"`          // share of the leaves whose evaluation the cache had
	Network    float64 `json:"network_share"`   // of the actors' time
	MillionHrs float64 `json:"hours_a_million"` // rows
	Limit      string  `json:"limit"`
}

func benchmarkCommand(f *flags) *cobra.Command {
	var asJSON bool
	var seconds float64
	var network, profile string
	c := &cobra.Command{
		Use:   "benchmark",
		Short: "Measure what this machine does: evaluations, simulations, games and rows a second",
		Example: `  selfplay benchmark
  selfplay benchmark --json
  selfplay benchmark --model gen-000100.safetensors
  selfplay benchmark --network 64x6 --profile cpu.prof      then: go tool pprof -top cpu.prof`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if seconds <= 0 || f.actors < 1 {
				return cli.Usagef("--seconds and --actors must be above 0")
			}
			if network != "" && f.model != "" {
				return cli.Usagef("--network and --model name a network each; leave one out")
			}
			m, err := benchmark(c.Context(), f, network, profile, time.Duration(seconds*float64(time.Second)))
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
	c.Flags().StringVar(&network, "network", "", "random weights of this network: CHANNELSxLAYERS such as 64x6, or mlp")
	c.Flags().StringVar(&profile, "profile", "", "write a CPU profile of the last measurement, self-play at 128/32 visits, to this file")
	return c
}

// networkConfig returns cfg with the network that a user names.
func networkConfig(cfg net.Config, name string) (net.Config, error) {
	if name == "mlp" {
		return net.Config{Arch: net.MLP}, nil
	}
	if n, err := fmt.Sscanf(name, "%dx%d", &cfg.Channels, &cfg.Layers); n != 2 || err != nil || name != fmt.Sprintf("%dx%d", cfg.Channels, cfg.Layers) {
		return cfg, cli.Usagef("--network is %q; it must be mlp or CHANNELSxLAYERS, such as 64x6", name)
	}
	return cfg, nil
}

func benchmark(ctx context.Context, f *flags, network, profile string, length time.Duration) (*measured, error) {
	v, err := cli.Variant(f.variant, "")
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	resolved, err := learner.Resolve(learner.Sources{Set: map[string]string{"variant": f.variant, "net.arch": net.Lattice}})
	if err != nil {
		return nil, err
	}
	config := resolved.Config
	if network != "" {
		if config.Net, err = networkConfig(config.Net, network); err != nil {
			return nil, err
		}
	}
	model, err := net.NewModel(v, config.Net, 1)
	if f.model != "" {
		model, err = net.LoadFile(f.model, v)
	}
	if err != nil {
		return nil, err
	}
	m := &measured{
		Variant: v.Name, CPU: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0),
		Network: model.String(), Weights: model.Size(),
	}
	leaves := positions(v, 8*simd.Lanes)
	precisions := []net.Precision{net.Float32}
	if net.Int8.For(model.Config) == net.Int8 {
		precisions = append(precisions, net.Int8)
	}
	for _, p := range precisions {
		for _, level := range simd.Levels() {
			name := level.String()
			if p == net.Int8 {
				if name = level.Int8Name(); level > simd.Generic && name == (level-1).Int8Name() {
					continue // the kernels of a lower level
				}
			}
			rate, err := measureEvaluations(ctx, model, level, p, leaves, length/2)
			if err != nil {
				return nil, err
			}
			m.Evaluations = append(m.Evaluations, evaluations{p.String(), name, rate})
		}
	}
	settings := [][2]int{{32, 8}, {64, 16}, {128, 32}}
	for i, visits := range settings {
		for j, p := range precisions {
			if profile != "" && i == len(settings)-1 && j == len(precisions)-1 {
				stop, err := startProfile(profile)
				if err != nil {
					return nil, err
				}
				defer stop()
			}
			s, err := measureSelfPlay(ctx, v, model, p, config.SelfPlay, f.actors, visits, length)
			if err != nil {
				return nil, err
			}
			m.SelfPlay = append(m.SelfPlay, s)
		}
	}
	return m, nil
}

// startProfile writes a CPU profile until stop is called.
func startProfile(path string) (stop func(), err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}, nil
}

// measureEvaluations returns the evaluations in a second on one core.
func measureEvaluations(ctx context.Context, model *net.Model, level simd.Level, p net.Precision, leaves []mcts.Leaf, length time.Duration) (float64, error) {
	es, err := net.NewEvaluators(model, level, p, 1)
	if err != nil {
		return 0, err
	}
	n, begun := 0, time.Now()
	for time.Since(begun) < length {
		if err := es[0].Evaluate(ctx, leaves); err != nil {
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
				Position: g.Position(), Moves: append([]rules.Move(nil), legal...), Occurrences: 1,
				Priors: make([]float32, len(legal)),
			})
			if err := g.Play(legal[(seed*7+i*13)%len(legal)]); err != nil {
				panic("selfplay: a legal move is refused")
			}
		}
	}
	return leaves
}

// timed measures how long its evaluator works.
type timed struct {
	mcts.Evaluator
	spent time.Duration
}

func (t *timed) Evaluate(ctx context.Context, leaves []mcts.Leaf) error {
	begun := time.Now()
	err := t.Evaluator.Evaluate(ctx, leaves)
	t.spent += time.Since(begun)
	return err
}

func measureSelfPlay(ctx context.Context, v *rules.Variant, model *net.Model, p net.Precision, config selfplay.Config, actors int, visits [2]int, length time.Duration) (selfPlay, error) {
	var (
		mu     sync.Mutex
		total  selfplay.Stats
		spent  time.Duration
		lasted time.Duration // of the longest measurement
		blocks net.EvaluatorStats
		failed error
		wg     sync.WaitGroup
	)
	cache := config.NewCache(actors)
	evaluators, err := net.NewEvaluators(model, simd.Best(), p, actors)
	if err != nil {
		return selfPlay{}, err
	}
	begun := time.Now()
	for i := range actors {
		a, err := selfplay.NewActor(v, config, selfplay.Identity{Seed: 1, Actor: fmt.Sprintf("b%d", i)}, 0, nil)
		if err != nil {
			return selfPlay{}, err
		}
		e := evaluators[i]
		a.SetCache(cache)
		a.SetStage(selfplay.Stage{FullVisits: visits[0], CheapVisits: visits[1]})
		t := &timed{Evaluator: e}
		wg.Go(func() {
			// The games of the first stretch are all in their openings: let them spread first.
			warm := begun.Add(length / 2)
			err := a.Run(ctx, t, func() bool { return time.Now().After(warm) }, func(data.Game) {})
			a.TakeStats()
			t.spent = 0
			// It is measured until a full search has ended at least: a busy machine may take longer for that.
			var stats selfplay.Stats
			from := time.Now()
			for err == nil && stats.Targets == 0 {
				end := time.Now().Add(length)
				err = a.Run(ctx, t, func() bool { return !time.Now().Before(end) }, func(data.Game) {})
				stats.Add(a.TakeStats())
			}
			mu.Lock()
			defer mu.Unlock()
			total.Add(stats)
			spent += t.spent
			lasted = max(lasted, time.Since(from))
			s := e.Stats()
			blocks.Blocks += s.Blocks
			blocks.Leaves += s.Leaves
			blocks.Boards += s.Boards
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return selfPlay{}, failed
	}
	seconds := lasted.Seconds()
	s := selfPlay{
		Precision: p.String(),
		Full:      visits[0], Cheap: visits[1],
		Sims:  float64(total.Simulations) / seconds,
		Games: float64(total.Games) / seconds,
		// Rows of all full searches: those of unfinished games will count too.
		Rows:    float64(total.Targets) / seconds,
		Fill:    blocks.Fill(),
		Cached:  total.HitRate(),
		Network: spent.Seconds() / seconds / float64(actors),
	}
	s.MillionHrs = 1e6 / s.Rows / 3600
	switch {
	case s.Fill < 0.9:
		s.Limit = "blocks that are not full: more games for each actor"
	case s.Network > 0.6:
		s.Limit = "the network's arithmetic: a smaller network, or more cores"
	default:
		s.Limit = "the tree search and the rules"
	}
	return s, nil
}

func (m *measured) print() {
	fmt.Printf("%s, %d cores, network %s (%d weights)\n\n", m.Variant, m.Cores, m.Network, m.Weights)
	fmt.Println("evaluations a second on one core:")
	for _, e := range m.Evaluations {
		fmt.Printf("  %-8s %-8s %10.0f\n", e.Precision, e.Set, e.PerSecond)
	}
	fmt.Println("\nself-play on all cores, without training beside it:")
	fmt.Printf("  %-9s %-8s %12s %9s %8s %6s %7s %9s %18s\n", "visits", "", "simulations/s", "games/s", "rows/s", "fill", "cached", "network", "a million rows in")
	for _, s := range m.SelfPlay {
		fmt.Printf("  %4d/%-4d %-8s %12.0f %9.1f %8.0f %5.0f%% %6.0f%% %8.0f%% %16.1f h   limited by %s\n",
			s.Full, s.Cheap, s.Precision, s.Sims, s.Games, s.Rows, 100*s.Fill, 100*s.Cached, 100*s.Network, s.MillionHrs, s.Limit)
	}
}
