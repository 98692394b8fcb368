package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"damier/arena"
	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/notation/gamefile"
	"damier/rules"
)

// options are the flags of a match.
type options struct {
	ctx         context.Context // cancels the start of other programs; nil: never
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
	control     *arena.Control // parsed clock; nil without one
	adjudicate  string
	egdb        string
	unbalanced  bool
	clusterFlags
}

func newCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:     "evaluate (--a PLAYER --b PLAYER | --join ADDRESS) [flags]",
		Short:   "Play a match between two players and say what it proves",
		Long:    longHelp,
		Example: exampleHelp,
		Args: cli.Args(func(c *cobra.Command, args []string) error {
			if len(args) == 1 && o.listen == c.Flags().Lookup("listen").NoOptDefVal {
				o.listen = args[0] // people type --listen HOST:PORT, without "="
				return nil
			}
			return cobra.NoArgs(c, args)
		}),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.addFlags(c.Flags())
	cli.CompleteVariant(c)
	for _, player := range []string{"a", "b"} {
		cli.Complete(c, player, open.Kinds()...)
	}
	c.AddCommand(newOpeningsCommand(), newTacticsCommand(), newTournamentCommand())
	return c
}

// addFlags defines the flags of a match.
func (o *options) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.variant, "variant", "international", "variant of the game: "+strings.Join(rules.Names(), ", "))
	f.StringVar(&o.a, "a", "", "player A, the one to measure (required)")
	f.StringVar(&o.b, "b", "alphabeta:depth=4", "player B")
	f.IntVar(&o.games, "games", 100, "number of games, even; with --sprt the largest number")
	f.DurationVar(&o.time, "time", 0, "time per move for players without a limit of their own, such as 0.1s")
	f.IntVar(&o.visits, "visits", 0, "visits per move for tree search; 200 when --time is not given either")
	f.StringVar(&o.sprt, "sprt", "", "sequential test between two normalised Elo differences, such as 0,50")
	f.StringVar(&o.clock, "clock", "", "time control for players without a limit of their own, such as 60s+0.5s or 40/5m")
	f.StringVar(&o.openings, "openings", "", "file with openings; if empty, Damier's openings for the variant")
	f.BoolVar(&o.unbalanced, "unbalanced", false, "use Damier's openings that favour one side, or say that those of --openings do")
	f.StringVar(&o.adjudicate, "adjudicate", "", adjudicateHelp)
	f.StringVar(&o.egdb, "egdb", egdb.Off, egdbHelp)
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of the table")
	f.StringVar(&o.pdn, "pdn", "", "add all games to this PDN file")
	f.IntVar(&o.concurrency, "concurrency", 0, "games at a time; 0: chosen, about one per core")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random players")
	f.IntVar(&o.maxPlies, "max-plies", arena.DefaultMaxPlies(rules.International),
		"length at which a game is drawn, 0 for no limit; larger boards than 10x10 have a higher default")
	f.IntVar(&o.leaves, "leaves", 0, "leaves that a tree search evaluates together; 0 is 1")
	o.clusterFlags.add(f)
}

const egdbHelp = "end games as soon as endgame tables know the result: " +
	"on (the user's tables and those of up to 3 pieces), or another folder of tables"

const adjudicateHelp = "end games whose result both players have agreed on for a while: \"default\", " +
	"or settings such as moves=6,win=0.98,draw=0.02,after=80; off when empty"

// context returns the context that cancels the start of other programs.
func (o *options) context() context.Context {
	if o.ctx == nil {
		return context.Background()
	}
	return o.ctx
}

func (o *options) run(c *cobra.Command) error {
	o.ctx = c.Context()
	if err := o.clusterFlags.validate(c.Flags().Changed); err != nil {
		return err
	}
	if o.join.URL != "" {
		return o.joinMatch(c)
	}
	o.anyLength = !c.Flags().Changed("max-plies")
	o.anyVariant = !c.Flags().Changed("variant")
	m, err := o.newMatch()
	if err != nil {
		return err
	}
	if o.listen != "" {
		h, err := o.openHub(c, &m)
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
		bar.addGame(g)
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
		r.A, r.B = o.a, o.b // no pair was finished, so the result has no names
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

// silent returns an error with an exit code and no message, because the result says it all.
func silent(code int) error { return cli.WithCode(code, errors.New("")) }

// playedVariant returns the variant of --variant. If that flag is not given, it is the variant of
// the first network file among the players.
func (o *options) playedVariant(players ...string) (*rules.Variant, error) {
	if o.anyVariant {
		if v, err := open.VariantOf(players...); v != nil || err != nil {
			return v, err
		}
	}
	return cli.Variant(o.variant, "")
}

// side makes a side from the description of a player and the flags.
func (o *options) side(v *rules.Variant, text string) (*open.Side, error) {
	return open.NewSide(o.context(), v, text, open.Defaults{
		Visits: o.visits, Time: o.time, Leaves: o.leaves, Seed: o.seed, Clock: o.control, Name: "Damier evaluate",
	})
}

func cores() int { return runtime.GOMAXPROCS(0) }

// newMatch checks the flags and makes the match that they describe.
func (o *options) newMatch() (arena.Match, error) {
	v, err := o.playedVariant(o.a, o.b)
	if err != nil {
		return arena.Match{}, err
	}
	if err := o.checkLimits(); err != nil {
		return arena.Match{}, err
	}
	m := arena.Match{Variant: v, Games: o.games, Seed: o.seed}
	if err := o.setConditions(&m); err != nil {
		return arena.Match{}, err
	}
	if err := o.setPlayers(&m); err != nil {
		return arena.Match{}, err
	}
	if m.Openings, err = readOpenings(v, o.openings, o.unbalanced); err != nil {
		return m, err
	}
	m.Tables, err = judgingTables(o.context(), v, o.egdb)
	return m, err
}
