package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/arena"
	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/publish"
	"damier/notation/gamefile"
	"damier/rules"
)

// options are the flags.
type options struct {
	ctx         context.Context // ends the starting of programs; nil: nothing does
	variant     string
	a, b        string
	games       int
	time        time.Duration
	visits      int
	sprt        string
	openings    string
	json        bool
	pdn         string
	concurrency int
	seed        uint64
	maxPlies    int
	anyLength   bool // maxPlies was not given
	anyVariant  bool // variant was not given
	leaves      int
	clock       string
	control     *arena.Control // of the clock; nil without one
	adjudicate  string
	egdb        string
	unbalanced  bool
	elsewhere
}

func newCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "evaluate (--a PLAYER --b PLAYER | --join ADDRESS) [flags]",
		Short: "Play a match between two players and say what it proves",
		Long: `Play a match between two players: every opening twice with colours reversed. The table says how A
did: wins, draws and losses, score, Elo with its 95 % interval, computed from the pairs of games.

A player is one of
  alphabeta:depth=N       the alpha-beta baseline, N plies deep; also alphabeta:time=0.1s and
                          alphabeta:nodes=N; alphabeta-1:depth=N asks for that version of it,
                          alphabeta-material:depth=N for one that counts pieces and knows nothing else
  nnue, nnue:FILE         the same search over a trained network, that of the variant that comes with the
                          program, or the file of a run of train: nnue:depth=N, nnue:FILE,time=0.1s
  tree, tree:FILE         a tree search over the same networks, searching --visits or --time per move; with
                          settings of its own behind it, as in tree:visits=200 or tree:FILE,time=0.1s:
                          visits, time, leaves (evaluated together), cores (with time; one if not given),
                          temperature (of its look one ply ahead), and root (gumbel or puct), candidates,
                          c_visit, c_scale, c_puct, fpu, best, least_visits, scout, share, forcing,
                          repetition_draw, reuse and max_nodes, which are explained in package mcts
  random                  random legal moves
  hub:"PROGRAM ARGS"      a program that speaks Hub, started here, searching --time per move, or with
                          settings of its own behind it: depth=N, nodes=N, time=D, dir=FOLDER to run in,
                          and its parameters by their names, as in hub:"./scan hub",time=1s,book=false
  dxp:HOST:PORT           a program that listens for DamExchange there; international draughts only, one
                          game at a time, with 5 minutes for a game or time=D, which is D for a whole
                          game; say=TEXT sends it a text first

The variant is that of the first network file, unless --variant says it. alphabeta, nnue and tree also take
level=N, one of the board's levels of strength, from 1, and egdb=on, off (the default) or DIR: endgame
tables, those of the user's folder and what is made in memory of up to 3 pieces, or those of another folder.
The command egdb makes them. book=on, off (the default) or FILE gives them an opening book: the user's or that of
the program, or another, see damier book.

A program that dies, breaks its protocol or is out of time has lost that game; standard error says why.

With --sprt 0,50 the match is a sequential test (pentanomial, normalised Elo): it ends as soon as it is
clear, at 5 % error each, whether A is stronger than B by 0 or by 50. --games is then the limit.

What a proof of "A is stronger than B" needs; the line "proof" of the result says what is missing:
  - the same wall time per move, or the same clock, for both, and a core for each game: equal visits or
    depths compare other things
  - openings in pairs, each with both colours, at least 250 different ones, none used in training, none
    played twice
  - a sequential test with bounds 0,50 and a limit of 1200 games (600 pairs) that accepts; "inconclusive"
    is an answer too. It takes about 256 games if A is stronger by 50, 420 if the truth is in the middle
  - no two equal games, no illegal move, no time overrun, no adjudication
So: evaluate --a NEW --b OLD --time 0.1s --games 1200 --sprt 0,50. The best of several candidates is to be
confirmed once more, on fresh openings. Where more than 90 % of the games are drawn, a match from
unbalanced openings (--unbalanced) may be added, but not stand instead. See docs/matches.md.

With --listen other machines play the games, each pair on one of them: it prints the line that they type,
evaluate --join ... The games are those that this machine would have played, so that only visits, depth and
nodes can limit the players. A pair whose worker is gone is given to another, and counts once.

Exit code: 0 the match was played (with --sprt: A is stronger), 1 failure, 2 wrong usage, 3 with --sprt: A
is not stronger, 4 damaged or foreign file, 5 with --sprt: inconclusive, 130 interrupted (the result of
the games played until then is printed).`,
		Example: `  evaluate --a alphabeta:depth=6 --b random --games 20
  evaluate --a tree:runs/international/models/gen-000150.nnue --b alphabeta:depth=4 --visits 200 --games 200
  evaluate --a tree:new.nnue --b tree:old.nnue --time 0.1s --games 1200 --sprt 0,50 --pdn match.pdn
  evaluate --a tree:new.nnue --b alphabeta --clock 60s+0.5s --games 20
  evaluate --a tree:new.nnue,c_puct=0.7 --b tree:new.nnue --visits 400
  evaluate --a tree --b nnue --time 0.1s --games 1200 --sprt 0,50
  evaluate --a tree:visits=200 --b alphabeta:depth=4
  evaluate --a alphabeta:time=0.1s --b 'hub:"./scan hub",time=0.1s,book=false' --games 20
  evaluate --a alphabeta:time=0.1s --b dxp:localhost:27531,time=3m --games 20
  evaluate --variant english --a tree:visits=200,egdb=on --b tree:visits=200 --egdb on
  evaluate --a nnue:nodes=5000,book=on --b nnue:nodes=5000 --games 200
  evaluate --variant frisian --a alphabeta:depth=4 --b alphabeta-material:depth=4
  evaluate --a tree:new.nnue --b tree:old.nnue --visits 400 --games 10000 --sprt 0,10 --listen 0.0.0.0:4222
  evaluate --join tls://192.168.1.5:4222 --token-file T --fingerprint 60b1...
  evaluate tournament --player tree:new.nnue --player tree:old.nnue --player nnue --control 0.1s --out july
  evaluate openings --count 300 --out openings.txt`,
		Args: cli.Args(func(c *cobra.Command, args []string) error {
			if len(args) == 1 && o.listen == c.Flags().Lookup("listen").NoOptDefVal {
				o.listen = args[0] // --listen HOST:PORT is what most people type
				return nil
			}
			return cobra.NoArgs(c, args)
		}),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.StringVar(&o.variant, "variant", "international", "variant of the game: "+strings.Join(rules.Names(), ", "))
	cli.CompleteVariant(c)
	f.StringVar(&o.a, "a", "", "player A, the one that is measured (required)")
	f.StringVar(&o.b, "b", "alphabeta:depth=4", "player B")
	f.IntVar(&o.games, "games", 100, "number of games, even; with --sprt the limit")
	f.DurationVar(&o.time, "time", 0, "time per move for players without a limit of their own, such as 0.1s")
	f.IntVar(&o.visits, "visits", 0, "visits per move for tree search; 200 when --time is not given either")
	f.StringVar(&o.sprt, "sprt", "", "sequential test between two normalised Elo differences, such as 0,50")
	f.StringVar(&o.clock, "clock", "", "time control for players without a limit of their own, such as 60s+0.5s or 40/5m")
	f.StringVar(&o.openings, "openings", "", "file with openings; those of Damier for the variant when empty")
	f.BoolVar(&o.unbalanced, "unbalanced", false, "openings that favour one side: Damier's list, or said of that of --openings")
	f.StringVar(&o.adjudicate, "adjudicate", "", adjudicateHelp)
	f.StringVar(&o.egdb, "egdb", egdb.Off, egdbHelp)
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of the table")
	f.StringVar(&o.pdn, "pdn", "", "add all games to this PDN file")
	f.IntVar(&o.concurrency, "concurrency", 0, "games at a time; 0 chooses: one per core")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random players")
	f.IntVar(&o.maxPlies, "max-plies", arena.DefaultMaxPlies(rules.International),
		"length at which a game is drawn, 0 for no limit; larger boards than 10x10 have a higher default")
	f.IntVar(&o.leaves, "leaves", 0, "leaves that a tree search evaluates together; 0 is 1")
	o.elsewhere.add(f)
	for _, player := range []string{"a", "b"} {
		cli.Complete(c, player, open.Kinds()...)
	}
	c.AddCommand(newOpeningsCommand(), newTacticsCommand(), newTournamentCommand())
	return c
}

const egdbHelp = `end games that endgame tables know: on, for the user's tables and those of up to 3 pieces, or the folder of others`

const adjudicateHelp = `end games whose result both players have agreed on for a while: "default", or settings such as moves=6,win=0.98,draw=0.02,after=80; off when empty`

// context is what ends the starting of other programs.
func (o *options) context() context.Context {
	if o.ctx == nil {
		return context.Background()
	}
	return o.ctx
}

func (o *options) run(c *cobra.Command) error {
	o.ctx = c.Context()
	if err := o.elsewhere.validate(c.Flags().Changed); err != nil {
		return err
	}
	if o.join.URL != "" {
		return o.playFor(c)
	}
	o.anyLength = !c.Flags().Changed("max-plies")
	o.anyVariant = !c.Flags().Changed("variant")
	m, err := o.match()
	if err != nil {
		return err
	}
	if o.listen != "" {
		h, err := o.hub(c, &m)
		if err != nil {
			return err
		}
		defer h.Close()
	}
	var pdn *gamefile.File
	if o.pdn != "" {
		if pdn, err = gamefile.Open(o.pdn); err != nil {
			return err
		}
		defer pdn.Close()
	}
	bar := newProgress(c.ErrOrStderr(), m.Games)
	m.OnGame = func(g arena.GameRecord) error {
		bar.game(g)
		if g.Fault != "" {
			fmt.Fprintf(c.ErrOrStderr(), "game %d, %s\n", g.Number+1, g.Fault)
		}
		if pdn != nil {
			return pdn.Add(pdnGame(g))
		}
		return nil
	}
	began := time.Now()
	r, err := m.Play(c.Context())
	bar.done()
	if err != nil {
		return err
	}
	if r.A == "" {
		r.A, r.B = o.a, o.b // not one whole pair
	}
	report := newReport(r, m, o, time.Since(began))
	if o.json {
		err = json.NewEncoder(c.OutOrStdout()).Encode(report)
	} else {
		err = report.write(c.OutOrStdout())
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	switch {
	case r.Interrupted:
		return context.Canceled
	case m.SPRT != nil && r.Verdict == arena.Rejected:
		return silent(cli.No)
	case m.SPRT != nil && r.Verdict == arena.Inconclusive:
		return silent(cli.Inconclusive)
	}
	return nil
}

// silent is an exit code without a message: the result says it all.
func silent(code int) error { return cli.WithCode(code, errors.New("")) }

// playedVariant returns the variant of the flags or, if none is given, of the first network file among
// the players.
func (o *options) playedVariant(players ...string) (*rules.Variant, error) {
	if o.anyVariant {
		if v, err := open.VariantOf(players...); v != nil || err != nil {
			return v, err
		}
	}
	return cli.Variant(o.variant, "")
}

// side makes a side of a description and the flags.
func (o *options) side(v *rules.Variant, text string) (*open.Side, error) {
	return open.NewSide(o.context(), v, text, open.Defaults{
		Visits: o.visits, Time: o.time, Leaves: o.leaves, Seed: o.seed, Clock: o.control, Name: "Damier evaluate",
	})
}

func cores() int { return runtime.GOMAXPROCS(0) }

// match checks the flags and makes the match of them.
func (o *options) match() (arena.Match, error) {
	fail := func(err error) (arena.Match, error) { return arena.Match{}, err }
	v, err := o.playedVariant(o.a, o.b)
	if err != nil {
		return fail(err)
	}
	switch {
	case o.a == "":
		return fail(cli.Usagef("--a is missing: who plays? Use %s", open.SpecHelp))
	case o.visits < 0 || o.time < 0:
		return fail(cli.Usagef("--visits and --time must be above 0"))
	case o.maxPlies < 0 || o.leaves < 0:
		return fail(cli.Usagef("--max-plies and --leaves must not be negative"))
	case o.visits > 0 && o.time > 0:
		return fail(cli.Usagef("--visits and --time contradict each other: give one of them"))
	case o.clock != "" && (o.visits > 0 || o.time > 0):
		return fail(cli.Usagef("--clock contradicts --visits and --time: give one of them"))
	case o.visits == 0 && o.time == 0 && o.clock == "":
		o.visits = 200
	}
	m := arena.Match{
		Variant: v, Games: o.games, Concurrency: o.concurrency, Seed: o.seed, MaxPlies: o.maxPlies,
	}
	switch {
	case o.anyLength:
		m.MaxPlies = 0 // the variant's default
	case o.maxPlies == 0:
		m.MaxPlies = -1
	}
	if o.sprt != "" {
		if m.SPRT, err = parseSPRT(o.sprt); err != nil {
			return fail(err)
		}
	}
	if o.clock != "" {
		if m.Clock, err = o.parseClock(o.clock); err != nil {
			return fail(err)
		}
	}
	if m.Adjudication, err = parseAdjudication(o.adjudicate); err != nil {
		return fail(err)
	}
	var sides []*open.Side
	for _, text := range []string{o.a, o.b} {
		s, err := o.side(v, text)
		if err != nil {
			return fail(err)
		}
		sides = append(sides, s)
	}
	m.A, m.B = sides[0].Make, sides[1].Make // those of networks come when they are loaded
	if m.Concurrency == 0 {
		m.Concurrency = open.Together(sides)
		if sides[0].Timed || sides[1].Timed || m.Clock != nil {
			m.Concurrency = open.TimedGames(sides)
		}
		if sides[0].Single || sides[1].Single {
			m.Concurrency = 1
		}
	}
	if m.Concurrency > 1 && (sides[0].Single || sides[1].Single) {
		return fail(cli.Usagef("--concurrency %d: a program behind DXP plays one game at a time", m.Concurrency))
	}
	if err := m.Validate(); err != nil {
		return fail(cli.WithCode(cli.Usage, errors.New(strings.TrimPrefix(err.Error(), "match: "))))
	}
	for _, s := range sides {
		if err := s.Open(); err != nil {
			return fail(err)
		}
	}
	m.A, m.B = sides[0].Make, sides[1].Make
	if m.Clock != nil {
		m.A, m.B = open.Clocked(sides[0].Make, o.a, m.Clock), open.Clocked(sides[1].Make, o.b, m.Clock)
	}
	if m.Openings, err = readOpenings(v, o.openings, o.unbalanced); err != nil {
		return m, err
	}
	m.Tables, err = judgingTables(o.context(), v, o.egdb)
	return m, err
}

// readOpenings reads the openings of a file, or Damier's without one.
func readOpenings(v *rules.Variant, file string, unbalanced bool) ([]arena.Opening, error) {
	switch {
	case file != "":
		openings, err := arena.ReadOpenings(v, file)
		return openings, fileError(err)
	case unbalanced:
		openings, err := arena.UnbalancedOpenings(v)
		if err != nil {
			err = cli.Usagef("%w: make one with evaluate openings --unbalanced --variant %s, and use it with --openings FILE --unbalanced", err, v.Name)
		}
		return openings, err
	}
	openings, err := arena.Openings(v)
	return openings, fileError(err)
}

// parseClock reads a time control, and gives players without a limit of their own one to begin with: the clock
// changes it before every move.
func (o *options) parseClock(text string) (*arena.Control, error) {
	c, err := arena.ParseControl(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	o.time, o.control = c.Time, &c
	return &c, nil
}

func parseAdjudication(text string) (*arena.Adjudication, error) {
	if text == "" {
		return nil, nil
	}
	a, err := arena.ParseAdjudication(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, fmt.Errorf("--adjudicate: %w", err))
	}
	return &a, nil
}

// fileError gives an error about a file its exit code: a file that cannot be opened is wrong usage when it
// does not exist, everything that is wrong inside is damage.
func fileError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return cli.WithCode(cli.Usage, err)
	case errors.Is(err, fs.ErrPermission):
		return err
	}
	return cli.WithCode(cli.Damaged, err)
}

func parseSPRT(text string) (*arena.SPRT, error) {
	low, high, ok := strings.Cut(text, ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || err0 != nil || err1 != nil {
		return nil, cli.Usagef("--sprt %q is not two numbers such as 0,50", text)
	}
	s := &arena.SPRT{Elo0: elo0, Elo1: elo1}
	return s, cli.WithCode(cli.Usage, s.Validate())
}

func newOpeningsCommand() *cobra.Command {
	var (
		c       arena.OpeningsConfig
		variant string
		out     string
		pieces  string
	)
	cmd := &cobra.Command{
		Use:   "openings --out FILE",
		Short: "Make openings for matches",
		Long: `Make a file of openings: random legal moves after which no capture is pending, no man is lost and a
search of the alpha-beta baseline finds neither side ahead. All positions differ, also when the board is
turned round and colours are swapped. The same flags make the same file.

With --unbalanced they favour one side, White and Black in turn, by half a man to a man and a half: games
from them are seldom drawn. As every opening is played with both colours the match is as fair as another.

With --pieces 6-8 they are endings instead, the positions of games of the baseline against itself when so many
pieces were left.

The file is text: a line "damier-openings 1 VARIANT", then one opening a line, its moves from the start or its
position.`,
		Example: `  evaluate openings --count 300 --seed 1 --out openings.txt
  evaluate openings --variant frisian --unbalanced --count 50 --out unbalanced.txt
  evaluate openings --variant english --pieces 6-8 --count 200 --out endings.txt`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := cli.Variant(variant, "")
			if err != nil {
				return err
			}
			if out == "" {
				return cli.Usagef("--out is missing: where should the openings go?")
			}
			if c.Count < 1 {
				return cli.Usagef("--count %d is too small", c.Count)
			}
			if pieces != "" {
				return makeEndings(cmd, v, c, pieces, out)
			}
			c := c.WithDefaults(v)
			bar := newProgress(cmd.ErrOrStderr(), c.Count)
			c.Progress = func(int) { bar.step("") }
			openings, err := arena.MakeOpenings(cmd.Context(), v, c)
			bar.done()
			if err != nil {
				return err
			}
			comment := fmt.Sprintf("%d openings made by: evaluate openings --variant %s --count %d --seed %d --depth %d",
				len(openings), v.Name, c.Count, c.Seed, c.Depth)
			if c.Unbalanced {
				comment += fmt.Sprintf(" --unbalanced --advantage %d --max-advantage %d", c.Advantage, c.MaxAdvantage)
			}
			for _, name := range []string{"min-plies", "max-plies"} {
				if f := cmd.Flags().Lookup(name); f.Changed {
					comment += fmt.Sprintf(" --%s %s", name, f.Value)
				}
			}
			return publish.Write(out, func(w io.Writer) error { return arena.WriteOpenings(w, v, comment, openings) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&variant, "variant", "international", "variant of the game")
	f.IntVar(&c.Count, "count", 300, "number of openings")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of the random moves")
	f.IntVar(&c.MinPlies, "min-plies", 0, "shortest opening; 0 chooses by the variant: 6 plies on 10x10 squares")
	f.IntVar(&c.MaxPlies, "max-plies", 0, "longest opening; 0 chooses by the variant: 10 plies on 10x10 squares")
	f.IntVar(&c.Depth, "depth", 0, "depth of the search that finds them balanced, in plies; 0 chooses by the variant")
	f.BoolVar(&c.Unbalanced, "unbalanced", false, "make openings that favour one side, White and Black in turn")
	f.IntVar((*int)(&c.Advantage), "advantage", 0, "least advantage, in hundredths of a man; 0 means 50")
	f.IntVar((*int)(&c.MaxAdvantage), "max-advantage", 0, "greatest advantage; 0 means 100 more than the least")
	f.StringVar(&pieces, "pieces", "", "make endings with so many pieces on the board, such as 6 or 6-8")
	f.StringVar(&out, "out", "", "file to write (required)")
	return cmd
}
