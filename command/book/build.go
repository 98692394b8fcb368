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

func newBuildCommand() *cobra.Command {
	var f flags
	var minutes, weight float64
	var positions, nodes, cores int
	var out, player string
	var seed uint64
	var save time.Duration
	var asJSON bool
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

Exit code: 0 ok, 1 failure, 2 wrong usage, 4 the work file is damaged or foreign, 130 interrupted.`,
		Example: `  damier book build --variant english --minutes 10
  damier book build --variant frisian --minutes 480 --nodes 100000 --out frisian.book
  damier book build --variant russian --positions 20000 --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := f.lookup()
			if err != nil {
				return err
			}
			switch {
			case minutes < 0 || positions < 0 || minutes == 0 && positions == 0:
				return cli.Usagef("say how long: --minutes N or --positions N")
			case minutes > 1e6:
				return cli.Usagef("--minutes %g is more than a year", minutes)
			case positions > book.MaxBytes/16:
				return cli.Usagef("--positions %d: at most %d", positions, book.MaxBytes/16)
			case nodes < 0 || cores < 0 || !(weight >= 0 && weight <= 1e6):
				return cli.Usagef("--nodes, --cores and --weight must not be negative")
			}
			spec, err := open.Best(v, "", "")
			if player != "" {
				spec, err = open.ParseSpec(player)
				err = cli.WithCode(cli.Usage, err)
			}
			if err != nil {
				return err
			}
			if spec.Limited() || spec.Book != "" {
				return cli.Usagef("--player %q: give the limit by --nodes, and no level and no book", player)
			}
			if nodes == 0 {
				if nodes = defaultNodes; spec.Kind == open.Tree {
					nodes = defaultVisits
				}
			}
			if out == "" {
				if out, err = book.File(v); err != nil {
					return cli.Usagef("%w, or give --out FILE", err)
				}
				if err := publish.MkdirAll(filepath.Dir(out)); err != nil {
					return err
				}
			}
			b := book.Builder{Variant: v, Out: out, Time: time.Duration(minutes * float64(time.Minute)), Positions: positions, Save: save}
			b.Recipe = book.Recipe{Nodes: nodes, Weight: weight, Seed: seed}
			if b.Recipe.Network, err = open.NetworkHash(v, spec); err != nil {
				return err
			}
			if cores == 0 {
				cores = engine.Cores()
			}
			for range min(cores, engine.Cores()) {
				s, name, err := open.Searcher(v, spec, nodes, seed)
				if err != nil {
					return err
				}
				b.Workers, b.Recipe.Engine = append(b.Workers, s), name
			}
			b.Made = fmt.Sprintf("damier book build --variant %s", v.Name)
			if f.options != "" {
				b.Made += " --options " + f.options
			}
			if player != "" {
				b.Made += " --player " + player
			}
			b.Made += fmt.Sprintf(" --nodes %d --weight %g --seed %d", nodes, weight, seed)
			bar := newProgress(c.ErrOrStderr(), v.Name)
			b.Progress = func(s book.State) { bar.set(s, b.Time, positions) }
			s, err := b.Build(c.Context())
			bar.finish()
			if errors.Is(err, context.Canceled) {
				fmt.Fprintf(c.ErrOrStderr(), "stopped; %d positions are in %s, the same command goes on\n", s.Positions, book.Work(out))
			}
			if err != nil {
				return withCode(err)
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(buildJSON{
					v.String(), out, b.Recipe.Engine, b.Recipe.Network, nodes, s.Positions, s.Expanded, s.Searched, s.Plies, s.Score,
					s.Elapsed.Seconds(), fmt.Sprintf("%s --positions %d", b.Made, s.Positions),
				})
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %d positions, %d of them with all moves, down to ply %d; the start is worth %.3f; %d searched in %.0f s; in %s\n",
				v, s.Positions, s.Expanded, s.Plies, s.Score, s.Searched, s.Elapsed.Seconds(), out)
			return nil
		},
	}
	f.add(c)
	c.Flags().Float64Var(&minutes, "minutes", 0, "end after so many minutes")
	c.Flags().IntVar(&positions, "positions", 0, "end with the first round that brings the book to so many positions, of 10 bytes each")
	c.Flags().StringVar(&out, "out", "", "file of the book; when empty the one that play finds by itself")
	c.Flags().StringVar(&player, "player", "", "engine that searches, such as tree, nnue:FILE or alphabeta; when empty the best for the variant")
	c.Flags().IntVar(&nodes, "nodes", 0, fmt.Sprintf("nodes of each search; when 0 %d, or %d visits of a tree search", defaultNodes, defaultVisits))
	c.Flags().Float64Var(&weight, "weight", book.DefaultWeight, "plies that a move counts in addition for each point it loses; less makes the book broader")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of the engine")
	c.Flags().IntVar(&cores, "cores", 0, "searches at a time; 0: one for each core")
	c.Flags().DurationVar(&save, "save", 5*time.Second, "time between two writes of the work file")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
