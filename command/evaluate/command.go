package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"damier/arena"
	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/publish"
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

// checkLimits returns an error if player A is missing or the limits of the players contradict each
// other. Without a limit it sets the default, 200 visits.
func (o *options) checkLimits() error {
	switch {
	case o.a == "":
		return cli.Usagef("--a is missing: who plays? Use %s", open.SpecHelp)
	case o.visits < 0 || o.time < 0:
		return cli.Usagef("--visits and --time must be above 0")
	case o.maxPlies < 0 || o.leaves < 0:
		return cli.Usagef("--max-plies and --leaves must not be negative")
	case o.visits > 0 && o.time > 0:
		return cli.Usagef("--visits and --time contradict each other: give one of them")
	case o.clock != "" && (o.visits > 0 || o.time > 0):
		return cli.Usagef("--clock contradicts --visits and --time: give one of them")
	case o.visits == 0 && o.time == 0 && o.clock == "":
		o.visits = 200
	}
	return nil
}

// setConditions sets the length of games, the sequential test, the clock and the adjudication.
func (o *options) setConditions(m *arena.Match) (err error) {
	m.MaxPlies = o.maxPlies
	switch {
	case o.anyLength:
		m.MaxPlies = 0 // the variant's default
	case o.maxPlies == 0:
		m.MaxPlies = -1 // no limit
	}
	if o.sprt != "" {
		if m.SPRT, err = parseSPRT(o.sprt); err != nil {
			return err
		}
	}
	if o.clock != "" {
		if m.Clock, err = o.parseClock(o.clock); err != nil {
			return err
		}
	}
	m.Adjudication, err = parseAdjudication(o.adjudicate)
	return err
}

// setPlayers sets the players and how many games they play at a time. It checks the whole match
// before it loads networks, because loading may take long.
func (o *options) setPlayers(m *arena.Match) error {
	a, err := o.side(m.Variant, o.a)
	if err != nil {
		return err
	}
	b, err := o.side(m.Variant, o.b)
	if err != nil {
		return err
	}
	timed := a.Timed || b.Timed || m.Clock != nil
	if m.Concurrency, err = o.gamesAtATime([]*open.Side{a, b}, timed); err != nil {
		return err
	}
	m.A, m.B = a.Make, b.Make // for Validate; Open replaces those of networks
	if err := m.Validate(); err != nil {
		return cli.WithCode(cli.Usage, errors.New(strings.TrimPrefix(err.Error(), "match: ")))
	}
	for _, s := range []*open.Side{a, b} {
		if err := s.Open(); err != nil {
			return err
		}
	}
	m.A, m.B = a.Make, b.Make
	if m.Clock != nil {
		m.A, m.B = open.Clocked(a.Make, o.a, m.Clock), open.Clocked(b.Make, o.b, m.Clock)
	}
	return nil
}

// gamesAtATime returns --concurrency, or if it is 0 the number of games that suits all sides.
// timed says that time limits the players.
func (o *options) gamesAtATime(sides []*open.Side, timed bool) (int, error) {
	single := slices.ContainsFunc(sides, func(s *open.Side) bool { return s.Single })
	switch {
	case o.concurrency > 1 && single:
		return 0, cli.Usagef("--concurrency %d: a program behind DXP plays one game at a time", o.concurrency)
	case o.concurrency != 0:
		return o.concurrency, nil
	case single:
		return 1, nil
	case timed:
		return open.TimedGames(sides), nil
	}
	return open.Together(sides), nil
}

// readOpenings reads the openings of a file. Without a file it returns those of Damier.
func readOpenings(v *rules.Variant, file string, unbalanced bool) ([]arena.Opening, error) {
	switch {
	case file != "":
		openings, err := arena.ReadOpenings(v, file)
		return openings, fileError(err)
	case unbalanced:
		openings, err := arena.UnbalancedOpenings(v)
		if err != nil {
			err = cli.Usagef("%w: make some with evaluate openings --unbalanced --variant %s, "+
				"and use them with --openings FILE --unbalanced", err, v.Name)
		}
		return openings, err
	}
	openings, err := arena.Openings(v)
	return openings, fileError(err)
}

// parseClock parses a time control. It also sets --time, so that players without a limit of their
// own start with one; the clock changes it before every move.
func (o *options) parseClock(text string) (*arena.Control, error) {
	c, err := arena.ParseControl(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	o.time = c.Time
	o.control = &c
	return &c, nil
}

// parseAdjudication parses --adjudicate; "" means nil, no adjudication.
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

// fileError gives an error about a file its exit code: 2 if the file does not exist, 1 if it may
// not be read, 4 for all errors inside the file.
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

// parseSPRT parses two normalised Elo differences such as 0,50.
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
		Long: `Make a file of openings: sequences of random legal moves. After them no capture is pending, no man is lost,
and a search of the alpha-beta baseline finds neither side ahead. No two positions are equal, also not with
the board turned round and the colours swapped. The same flags make the same file.

With --unbalanced each opening favours one side, White and Black in turn, by half a man to a man and a half,
so few games are drawn. The match is still fair, because every opening is played with both colours.

With --pieces 6-8 the file has endings instead: positions with 6 to 8 pieces from games of the baseline
against itself.

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
	f.IntVar(&c.Depth, "depth", 0, "depth of the search that checks the balance, in plies; 0 chooses by the variant")
	f.BoolVar(&c.Unbalanced, "unbalanced", false, "make openings that favour one side, White and Black in turn")
	f.IntVar((*int)(&c.Advantage), "advantage", 0, "smallest advantage, in hundredths of a man; 0 means 50")
	f.IntVar((*int)(&c.MaxAdvantage), "max-advantage", 0, "largest advantage; 0 means 100 more than the smallest")
	f.StringVar(&pieces, "pieces", "", "make endings with this number of pieces on the board, such as 6 or 6-8")
	f.StringVar(&out, "out", "", "file to write (required)")
	return cmd
}
