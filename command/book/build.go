package book

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"damier/book"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/publish"
	"damier/rules"
)

// buildJSON is the output of build.
type buildJSON struct {
	Variant   string  `json:"variant"`
	File      string  `json:"file"`
	Engine    string  `json:"engine"`
	Network   string  `json:"network,omitempty"` // SHA-256 of its file
	Nodes     int     `json:"nodes"`             // of a search
	Positions int     `json:"positions"`         // with a score
	Expanded  int     `json:"expanded"`          // with all moves
	Searched  int     `json:"searched"`          // now
	Plies     int     `json:"plies"`             // from the start to the deepest
	Score     float64 `json:"score"`             // of the start, for the side to move
	Seconds   float64 `json:"seconds"`
	Command   string  `json:"command"` // makes the same file again
}

// The defaults of --nodes.
const (
	defaultNodes  = 20_000
	defaultVisits = 4000
)

// buildOptions are the flags of build.
type buildOptions struct {
	flags
	minutes, weight         float64
	positions, nodes, cores int
	out, player             string
	seed                    uint64
	save                    time.Duration
	json                    bool
}

func newBuildCommand() *cobra.Command {
	var o buildOptions
	c := &cobra.Command{
		Use:   "build [flags]",
		Short: "Make the book of a variant",
		Long: `Make an opening book by dropout expansion: again and again the position is expanded that is nearest to the start,
where every move is one ply away and in addition --weight plies for each point that it loses against the best.
The engine searches each new position with a fixed number of nodes, on all cores.

What the searches find is also in the file OUT.work, written every few seconds. Ctrl-C, or a kill, loses at most
these seconds: the same command goes on. After the end the same command makes the book larger by as many minutes.

The book depends only on the variant, --player, --nodes, --weight, --seed and the number of positions, not on the
cores: the header holds the command that makes the same book.

Exit code: 0 ok, 1 failure, 2 wrong usage, 4 a book that is there, or its work file, is damaged or foreign, 130 interrupted.`,
		Example: `  damier book build --variant english --minutes 10
  damier book build --variant frisian --minutes 480 --nodes 100000 --out frisian.book
  damier book build --variant russian --positions 20000 --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.Add(c)
	c.Flags().Float64Var(&o.minutes, "minutes", 0, "end after so many minutes")
	c.Flags().IntVar(&o.positions, "positions", 0, "end with the first round that brings the book to so many positions, of 10 bytes each")
	c.Flags().StringVar(&o.out, "out", "", "file of the book; when empty the one that play finds by itself")
	c.Flags().StringVar(&o.player, "player", "", "engine that searches, such as tree, nnue:FILE or alphabeta; when empty the best for the variant")
	c.Flags().IntVar(&o.nodes, "nodes", 0, fmt.Sprintf("nodes of each search; when 0 %d, or %d visits of a tree search", defaultNodes, defaultVisits))
	c.Flags().Float64Var(&o.weight, "weight", book.DefaultWeight, "plies that a move counts in addition for each point it loses; less makes the book broader")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "seed of the engine")
	c.Flags().IntVar(&o.cores, "cores", 0, "searches at a time; 0: one for each core")
	c.Flags().DurationVar(&o.save, "save", 5*time.Second, "time between two writes of the work file")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return c
}

// check returns an error if the numbers cannot be used.
func (o *buildOptions) check() error {
	switch {
	case !(o.minutes >= 0) || o.positions < 0 || o.minutes == 0 && o.positions == 0:
		return cli.Usagef("say how long: --minutes N or --positions N")
	case o.minutes > 1e6:
		return cli.Usagef("--minutes %g is more than a year", o.minutes)
	case o.positions > book.MaxBytes/16:
		return cli.Usagef("--positions %d: at most %d", o.positions, book.MaxBytes/16)
	case o.nodes < 0 || o.cores < 0 || !(o.weight >= 0 && o.weight <= 1e6):
		return cli.Usagef("--nodes, --cores and --weight must not be negative")
	}
	return nil
}

// run builds the book and reports what it holds.
func (o *buildOptions) run(c *cobra.Command) error {
	v, err := o.Lookup()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	b, err := o.builder(v)
	if err != nil {
		return err
	}
	bar := newProgress(c.ErrOrStderr(), v.Name)
	b.Progress = func(s book.State) { bar.set(s, b.Time, o.positions) }
	s, err := b.Build(c.Context())
	bar.finish()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped; %d positions are in %s, the same command goes on\n", s.Positions, book.Work(b.Out))
	}
	if err != nil {
		return withCode(err)
	}
	if o.json {
		return json.NewEncoder(c.OutOrStdout()).Encode(buildJSON{
			v.String(), b.Out, b.Recipe.Engine, b.Recipe.Network, b.Recipe.Nodes, s.Positions, s.Expanded, s.Searched, s.Plies, s.Score,
			s.Elapsed.Seconds(), fmt.Sprintf("%s --positions %d", b.Made, s.Positions),
		})
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %d positions, %d of them with all moves, down to ply %d; the start is worth %.3f; %d searched in %.0f s; in %s\n",
		v, s.Positions, s.Expanded, s.Plies, s.Score, s.Searched, s.Elapsed.Seconds(), b.Out)
	return nil
}

// builder returns the builder of the book, with a search for each core.
func (o *buildOptions) builder(v *rules.Variant) (*book.Builder, error) {
	spec, err := o.spec(v)
	if err != nil {
		return nil, err
	}
	b := &book.Builder{
		Variant: v, Out: o.out, Time: time.Duration(o.minutes * float64(time.Minute)), Positions: o.positions, Save: o.save,
		Recipe: book.Recipe{Nodes: o.nodes, Weight: o.weight, Seed: o.seed},
	}
	if b.Recipe.Nodes == 0 {
		if b.Recipe.Nodes = defaultNodes; spec.Kind == open.Tree {
			b.Recipe.Nodes = defaultVisits
		}
	}
	if b.Out == "" {
		if b.Out, err = book.File(v); err != nil {
			return nil, cli.Usagef("%w, or give --out FILE", err)
		}
		if err := publish.MkdirAll(filepath.Dir(b.Out)); err != nil {
			return nil, err
		}
	}
	if b.Recipe.Network, err = open.NetworkHash(v, spec); err != nil {
		return nil, err
	}
	cores := engine.Cores()
	if o.cores > 0 {
		cores = min(o.cores, cores)
	}
	for range cores {
		s, name, err := open.Searcher(v, spec, b.Recipe.Nodes, o.seed)
		if err != nil {
			return nil, err
		}
		b.Workers, b.Recipe.Engine = append(b.Workers, s), name
	}
	b.Made = o.command(v, b.Recipe.Nodes)
	return b, nil
}

// spec returns the description of the engine that searches.
func (o *buildOptions) spec(v *rules.Variant) (open.Spec, error) {
	if o.player == "" {
		return open.Best(v, "", "")
	}
	spec, err := open.ParseSpec(o.player)
	if err != nil {
		return spec, cli.WithCode(cli.Usage, err)
	}
	if spec.Limited() || spec.Book != "" {
		return spec, cli.Usagef("--player %q: give the limit by --nodes, and no level and no book", o.player)
	}
	return spec, nil
}

// command returns the command that makes the same book, but for the number of positions.
func (o *buildOptions) command(v *rules.Variant, nodes int) string {
	made := fmt.Sprintf("damier book build --variant %s", v.Name)
	if o.Options != "" {
		made += " --options " + o.Options
	}
	if o.player != "" {
		made += " --player " + o.player
	}
	return made + fmt.Sprintf(" --nodes %d --weight %g --seed %d", nodes, o.weight, o.seed)
}
