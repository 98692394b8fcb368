package analyse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/internal/plain"
	"damier/rules"
)

// defaultNodes is the effort for a position by an alpha-beta search, defaultVisits by a tree
// search.
const (
	defaultNodes  = 50_000
	defaultVisits = 1_000
)

// options are the flags.
type options struct {
	variant     string
	player      string
	nodes       int64
	egdb        string
	tactics     bool
	json, table bool
	concurrency int
}

// New returns the command analyse.
func New() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "analyse [FILE.pdn ...]",
		Short: "Review the games of PDN files: scores, better moves, mistakes, accuracy",
		Long: `Look at every game of PDN files, or of standard input, and write the games to standard output with
what was found: behind each move the score in men for White, as in {[%eval -0.35]}; at a mistake
its glyph (?! ? ??), what it costs of the expected score, and the better line as a variation; the
combinations that were missed, with their themes; tags with the accuracy of both players. Comments
and variations that are in the file stay; what an earlier analysis wrote is replaced.

The variant is told by the tags Variant and GameType of each game; --variant is for games without
them. Each position is searched by the network that comes for its variant (--player nnue), to the
same number of nodes, so that the result is the same on every run, whatever the number of cores.
--nodes sets it, or the player does: nnue:nodes=20000, tree:visits=400.
A --player with a file is for the games of the file's variant.

A move is marked doubtful (?!), a mistake (?) or a blunder (??) if it costs its side 0.06, 0.12 or
0.20 of the expected score; a man is about 0.23. Each mistake is of a kind: by endgame tables it
gives a win or a draw away (--egdb), there was a combination, the opponent has one after it, other.
Accuracy is 100 for the best move, 76 for a doubtful one, 35 for one that loses a man; a player's is
the mean of the moves where there was a choice.

--json prints a line for each game, and one with all players at the end. --table prints the players,
the mistakes by kind and the combinations that were missed.

A game that cannot be read to its end is named on standard error, with file, line, game and move; the
moves before are analysed, and so are all other games. Ctrl-C ends the work; games that are done are
written.

Exit code: 0 ok, 1 failure, 2 wrong usage, 4 a game could not be read to its end, or there is none, or a
damaged or foreign file of a network or of endgame tables, 130 interrupted.`,
		Example: `  damier analyse game.pdn > annotated.pdn
  damier analyse --table club2025.pdn club2026.pdn
  damier analyse --json < games.pdn | jq 'select(.kind == "game") | .accuracy'
  damier analyse --nodes 1000000 --egdb on game.pdn
  damier analyse --player tree:runs/russian/model.nnue --nodes 2000 game.pdn
  damier analyse --player tree:visits=400 game.pdn`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.StringVar(&o.variant, "variant", rules.International.Name, "variant of games whose tags tell none")
	cli.CompleteVariant(c)
	f.StringVar(&o.player, "player", "nnue", "who judges: nnue, tree or alphabeta, with a network file and nodes or visits as in nnue:FILE,nodes=20000")
	cli.Complete(c, "player", "nnue", "tree", "alphabeta")
	f.Int64Var(&o.nodes, "nodes", 0, fmt.Sprintf("nodes for each position, visits of a tree; 0 is %d nodes or %d visits", defaultNodes, defaultVisits))
	f.StringVar(&o.egdb, "egdb", egdb.Off, "endgame tables that judge: on, for yours and those of up to 3 pieces, off, or the folder of others")
	f.BoolVar(&o.tactics, "tactics", true, "look for combinations")
	f.BoolVar(&o.json, "json", false, "print JSON, a line for each game and one with all players, instead of PDN")
	f.BoolVar(&o.table, "table", false, "print tables of players, mistakes and missed combinations instead of PDN")
	f.IntVar(&o.concurrency, "concurrency", 0, "games at a time; 0 chooses: one per core")
	return c
}

// source is a file of games, or standard input.
type source struct {
	name string
	r    io.Reader
	size int64 // bytes, 0 if not known
	end  func()
}

func (o *options) run(c *cobra.Command, args []string) error {
	v, err := cli.Variant(o.variant, "")
	switch {
	case err != nil:
		return err
	case o.json && o.table:
		return cli.Usagef("--json and --table contradict each other: give one of them")
	case o.nodes < 0 || o.concurrency < 0:
		return cli.Usagef("--nodes and --concurrency must not be negative")
	}
	who, err := o.judge()
	if err != nil {
		return err
	}
	sources, err := sourcesOf(c, args)
	if err != nil {
		return err
	}
	defer func() {
		for _, s := range sources {
			s.end()
		}
	}()
	out := o.writer(c.OutOrStdout(), who)
	p := newProgress(c.ErrOrStderr())
	s := stream{who: who, variant: v, concurrency: cmp.Or(o.concurrency, cores()), progress: p}
	good, bad, err := s.run(c.Context(), sources, out, func(text string) {
		p.say("%s\n", plain.Line(text))
	})
	p.done()
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	case err != nil:
		fmt.Fprintf(c.ErrOrStderr(), "stopped; games analysed and written: %d\n", good)
		return errors.Join(out.end(bad), err)
	}
	if err := out.end(bad); err != nil {
		return err
	}
	switch {
	case bad > 0:
		return cli.WithCode(cli.Damaged, fmt.Errorf("%d of the games could not be read to their end", bad))
	case good == 0:
		return cli.WithCode(cli.Damaged, errors.New("there is no game to analyse"))
	}
	return nil
}

// sourcesOf opens all files, so that a name that is mistyped is told before the work.
func sourcesOf(c *cobra.Command, args []string) (all []source, err error) {
	defer func() {
		if err != nil {
			for _, s := range all {
				s.end()
			}
		}
	}()
	if len(args) == 0 {
		if f, ok := c.InOrStdin().(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return nil, cli.Usagef("no file is given: which games? Give PDN files, or games on standard input")
		}
		args = []string{"-"}
	}
	for _, name := range args {
		if name == "-" {
			s := source{name: "standard input", r: c.InOrStdin(), end: func() {}}
			if f, ok := s.r.(*os.File); ok {
				if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
					s.size = info.Size()
				}
			}
			all = append(all, s)
			continue
		}
		f, size, err := files.Open(name, math.MaxInt64)
		if err != nil {
			return all, cli.WithCode(cli.Usage, err)
		}
		all = append(all, source{name: name, r: f, size: size, end: func() { f.Close() }})
	}
	return all, nil
}

// judge returns who judges.
func (o *options) judge() (*judge, error) {
	s, err := open.ParseSpec(o.player)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, fmt.Errorf("--player: %w", err))
	}
	switch {
	case s.Kind != open.NNUE && s.Kind != open.Tree && s.Kind != open.AlphaBeta:
		return nil, cli.Usagef("--player %s: only nnue, tree and alphabeta can say what a position is worth", o.player)
	case s.Level > 0 || s.Depth > 0 || s.Time > 0:
		return nil, cli.Usagef("--player %s: only nodes or visits can limit an analysis, because each position needs the same effort; "+
			"give nodes=N (visits=N of a tree), or --nodes", o.player)
	}
	own := max(int64(min(s.Nodes, math.MaxInt64)), int64(s.Visits))
	if own > 0 && o.nodes > 0 {
		return nil, cli.Usagef("--player %s and --nodes %d contradict each other: give the effort once", o.player, o.nodes)
	}
	s.Nodes, s.Visits = 0, 0
	nodes := cmp.Or(own, o.nodes)
	if nodes == 0 {
		nodes = defaultNodes
		if s.Kind == open.Tree {
			nodes = defaultVisits
		}
	}
	j := &judge{spec: s, nodes: nodes, egdb: o.egdb, tactics: o.tactics}
	if s.File != "" {
		v, err := open.FileVariant(s.File)
		if err != nil {
			return nil, err
		}
		j.file = v
	}
	return j, nil
}
