// Package selfplay is the command selfplay: it plays games of a network against itself, as an
// extra worker of a run or alone.
package selfplay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"damier/cluster"
	"damier/data"
	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
	"damier/net"
	"damier/selfplay"
)

// New returns the command selfplay.
func New() *cobra.Command { return command() }

// method is the method of the networks.
var method learner.Method = sparse.Method{}

type flags struct {
	run, model, out, variant string
	games, actors            int
	visits                   int
	search                   string
	join                     cluster.Access
	label, tables            string
}

func command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "selfplay (--run DIR | --model FILE --out DIR | --join ADDRESS)",
		Short: "Play games of a network against itself and record them",
		Long: `Play games of a network against itself and record them as Parquet shards.

With --run it is an extra worker of a run: it plays with the run's present network and leaves its shards in the
run's games directory, where the learner finds them. With --model and --out it plays with one network alone. With
--join it plays for a run on another machine, and needs no folder and no network: type the line that train --listen
prints there.

Ctrl-C stops cleanly: finished games are on disk, games under way are dropped.`,
		Example: `  selfplay --run runs/international                         play until Ctrl-C
  selfplay --run runs/international --games 1000
  selfplay --model gen-000100.nnue --out games --games 500 --visits 200
  selfplay --join nats://192.168.1.5:4222 --token-file T    for a run on another machine
  selfplay benchmark                                        what this machine can do`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case f.model == "" && c.Flags().Changed("variant"):
				return cli.Usagef("--variant goes with --model; a run has its own")
			case f.join.URL == "" && c.Flags().Changed("egdb"):
				return cli.Usagef("--egdb goes with --join; a run here has its own setting, selfplay.egdb, and --model plays without tables")
			}
			return code(f.play(c.Context()))
		},
	}
	c.PersistentFlags().StringVar(&f.variant, "variant", "", "variant of draughts, with --model; when empty that of the network")
	c.PersistentFlags().IntVar(&f.actors, "actors", runtime.GOMAXPROCS(0), "goroutines that play")
	c.Flags().StringVar(&f.run, "run", "", "directory of the run to play for")
	c.Flags().StringVar(&f.model, "model", "", "model file to play with")
	c.Flags().StringVar(&f.out, "out", "", "directory for the shards, with --model")
	c.Flags().IntVar(&f.games, "games", 0, "stop after this many games (0: play on)")
	c.Flags().IntVar(&f.visits, "visits", 0, "visits of a tree search, with --model (default 64)")
	c.Flags().StringVar(&f.search, "search", "", "search that plays, with --model: tree or alphabeta (default tree)")
	s := c.Flags()
	s.StringVar(&f.join.URL, "join", "", "address of the hub of a run on another machine")
	s.StringVar(&f.join.TokenFile, "token-file", "", "file with the token, with --join")
	s.StringVar(&f.join.NKey, "nkey", "", "file with the seed of an nkey, instead of a token")
	s.StringVar(&f.join.Credentials, "credentials", "", "file of credentials of a NATS cluster, instead of a token")
	s.StringVar(&f.join.Fingerprint, "fingerprint", "", "SHA-256 of the hub's certificate, with --join")
	s.StringVar(&f.label, "label", "", "label of the token or nkey, if the hub gives it one")
	s.StringVar(&f.tables, "egdb", egdb.On, "endgame tables, with --join to a run that plays with them: on, for the user's, or their folder")
	c.AddCommand(benchmarkCommand(&f))
	return c
}

// name returns a name that is unique among the workers of a run.
func name() string {
	b := make([]byte, 4)
	rand.Read(b)
	return fmt.Sprintf("w%x", b)
}

func (f *flags) play(ctx context.Context) error {
	if f.join.URL != "" {
		return f.playFor(ctx)
	}
	switch {
	case f.join != (cluster.Access{}) || f.label != "":
		return cli.Usagef("--token-file, --nkey, --credentials, --fingerprint and --label go with --join")
	case (f.run == "") == (f.model == ""):
		return cli.Usagef("give either --run DIR, or --model FILE and --out DIR, or --join ADDRESS")
	case f.run != "" && f.out != "":
		return cli.Usagef("--out goes with --model; the games of a run are in its own directory")
	case f.run != "" && (f.visits != 0 || f.search != ""):
		return cli.Usagef("--visits and --search go with --model; a run has its own")
	case f.model != "" && f.out == "":
		return cli.Usagef("--model needs --out DIR, where the games go")
	case f.games < 0:
		return cli.Usagef("--games %d is negative", f.games)
	case f.actors < 1:
		return cli.Usagef("--actors %d: at least one is needed", f.actors)
	}
	w, err := f.worker()
	if err != nil {
		return err
	}
	begun := time.Now()
	var total selfplay.Stats
	w.OnShard = func(s data.ShardInfo, stats selfplay.Stats) {
		total.Add(stats)
		seconds := time.Since(begun).Seconds()
		eta := ""
		if f.games > 0 && total.Games > 0 {
			left := time.Duration(float64(int64(f.games)-total.Games) / float64(total.Games) * seconds * float64(time.Second))
			eta = fmt.Sprintf(", %s left", left.Round(time.Second))
		}
		fmt.Fprintf(os.Stderr, "%s: %d games, %d rows (%.1f games/s, %.0f rows/s, %.1fk sims/s)%s\n", filepath.Join(w.Dir, s.Name),
			total.Games, total.Rows, float64(total.Games)/seconds, float64(total.Rows)/seconds, float64(total.Simulations)/seconds/1000, eta)
	}
	err = w.Run(ctx, f.games)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "stopped; %d finished games are in %s\n", total.Games, w.Dir)
	}
	return err
}

func (f *flags) worker() (*learner.Worker, error) {
	if f.run != "" {
		return learner.RunWorker(f.run, method, name(), f.actors)
	}
	v, err := open.Variant(f.variant, "", f.variant != "", f.model)
	if err != nil {
		return nil, err
	}
	model, err := method.Load(f.model, v)
	if err != nil {
		return nil, err
	}
	set := map[string]string{"variant": v.Name, "selfplay.visits": "0:64"}
	if f.visits != 0 {
		set["selfplay.visits"] = fmt.Sprintf("0:%d", f.visits)
	}
	if f.search != "" {
		set["selfplay.search"] = f.search
	}
	resolved, err := settings.Resolve(method, settings.Sources{Set: set})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return nil, err
	}
	return &learner.Worker{
		Variant: v, Config: resolved.SelfPlay, Actors: f.actors, Name: name(), Seed: uint64(time.Now().UnixNano()),
		Dir: f.out, Period: 10 * time.Second,
		Source: func() (learner.Network, *selfplay.Stage, error) { return model, nil, nil },
	}, nil
}

// code gives an error its exit code.
func code(err error) error {
	for _, damaged := range []error{data.ErrDamaged, data.ErrForeign, net.ErrDamaged, net.ErrForeign} {
		if errors.Is(err, damaged) {
			return cli.WithCode(cli.Damaged, err)
		}
	}
	if errors.Is(err, settings.ErrSettings) || errors.Is(err, cluster.ErrVersion) || errors.Is(err, cluster.ErrTables) {
		return cli.WithCode(cli.Usage, err)
	}
	return err
}
