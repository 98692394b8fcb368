package play

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"damier/book"
	"damier/egdb"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/notation/gamefile"
	"damier/rules"
)

// options are the flags that say who plays what.
type options struct {
	game   variantFlags
	model  string
	player string
	search string // over a network: tree, alphabeta, or "" for the stronger
	visits int
	time   time.Duration
	level  int
	egdb   string // setting of endgame tables
	book   bookFlags
	fen    string
	side   string
	pdn    string
	ascii  bool

	informal bool
}

func newCommand() *cobra.Command {
	o, w := &options{}, &webOptions{}
	c := &cobra.Command{
		Use:   "play [flags]",
		Short: "Play draughts against a trained network",
		Long: `Play draughts against a trained network in the browser: the program serves the board to this machine, and prints and
opens its address. See play web --help.

Without a terminal, or with a flag of the board in the terminal, such as --side, you play in the terminal. See play
terminal --help for what you can type.

Exit code: 0 the session ended (also by the end of the input), 1 failure, 2 wrong usage, 4 damaged or
foreign model file, 130 stopped by Ctrl-C.`,
		Example: `  play
  play --variant frisian --no-open
  play --model runs/international/models/gen-000150.nnue
  play --side black --time 2s
  play terminal --variant russian --side black
  play tui --variant frisian --level 3
  play web --addr 0.0.0.0:8080
  play hub --model runs/international/models/gen-000150.nnue
  play dxp --connect localhost:27531 --clock 3m
  play moves --fen "W:W31-50:B1-20" --moves "32-28 19-23"
  play perft --depth 6`,
		Args: cli.Args(cobra.NoArgs),
	}
	o.players(c)
	o.session(c)
	w.define(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		here := changed(c, "side", "fen", "pdn", "informal", "ascii", "player", "visits", "time", "level")
		there := changed(c, "addr", "token", "boards", "models", "no-open")
		switch {
		case here != "" && there != "":
			return cli.Usagef("--%s is for the terminal and --%s for the browser: say play terminal or play web", here, there)
		case there != "", here == "" && isTerminal(c.InOrStdin()) && isTerminal(c.OutOrStdout()):
			w.game, w.model, w.egdb, w.book = o.game, o.model, o.egdb, o.book
			return w.serve(c)
		}
		return o.play(c)
	}
	c.AddCommand(newTerminalCommand(), newTUICommand(), newWebCommand(), newHubCommand(), newDXPCommand(), NewLidraughts(), newMovesCommand(), newPerftCommand())
	return c
}

// changed returns the first of the flags that was given, "" if none was.
func changed(c *cobra.Command, names ...string) string {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

func newTerminalCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "terminal [flags]",
		Short: "Play in the terminal",
		Long: `Play draughts against a trained network in the terminal. Type moves as 32-28 or 19x30; help lists the
commands. Without a terminal it reads the same commands as plain lines, without prompts and colours.
play tui plays on the whole screen, by mouse and keys.

Without --model you play against the network that comes with the program, with the search that is stronger in the
variant; --search chooses the other search. --player chooses another opponent: tree[:FILE], nnue[:FILE], alphabeta:depth=N,
alphabeta:time=D, alphabeta:nodes=N or random.

Board, squares and moves are those of the variant: 22-17 in English draughts, c3-d4 and c3:e5 in Russian.
Numbers and coordinates are read in every variant.

With --informal a move that omits or shortens a capture is allowed. The other side then forces the capture
(force), lets the move stand by playing on, or, in variants with huffing, removes the piece that should have
captured (huff SQUARE). The engine chooses what is best for it.

Colours are switched off by the environment variable NO_COLOR and by a terminal that has none; --ascii, or
a locale without UTF-8, draws the pieces as letters.

Exit code: 0 the session ended (also by the end of the input), 1 failure, 2 wrong usage, 4 damaged or
foreign model file, 130 stopped by Ctrl-C (the game is written to --pdn all the same).`,
		Example: `  play terminal
  play terminal --side black --time 2s
  play terminal --variant english --level 2
  play terminal --model runs/international/models/gen-000150.nnue --visits 800 --pdn games.pdn
  play terminal --player alphabeta:depth=6 --fen "W:W31,32,K40:B11,12,K7"
  play terminal --variant russian --side black
  play terminal --variant german --informal --side both
  echo "32-28" | play terminal`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.play(c) },
	}
	o.players(c)
	o.session(c)
	return c
}

// session defines the flags of the board in the terminal.
func (o *options) session(c *cobra.Command) {
	o.levels(c)
	f := c.Flags()
	f.StringVar(&o.side, "side", "white", "your side: white, black, both (no engine) or none (watch)")
	f.StringVar(&o.fen, "fen", "", "begin with this position; the start of the variant when empty")
	f.StringVar(&o.pdn, "pdn", "", "add the game to this PDN file at the end")
	f.BoolVar(&o.informal, "informal", false, "allow moves that omit or shorten a capture: the other side forces the capture, lets the move stand or huffs")
	f.BoolVar(&o.ascii, "ascii", false, "draw the pieces as letters: w and b men, W and B kings")
}

// variantFlags say what game is played.
type variantFlags struct{ name, options string }

func (f *variantFlags) define(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "variant", "international", "variant of the game: "+strings.Join(rules.Names(), ", "))
	cli.CompleteVariant(c)
	c.Flags().StringVar(&f.options, "options", "", "options of the variant, such as draws=immediate,equal=king-first (see docs/variants.md)")
}

// String returns the game as the flags name it, for a person.
func (f variantFlags) String() string {
	if f.options == "" {
		return f.name
	}
	return f.name + " (" + f.options + ")"
}

func (f *variantFlags) lookup() (*rules.Variant, error) {
	v, err := cli.Variant(f.name, f.options)
	if err == nil {
		f.name = v.Name
	}
	return v, err
}

// players defines the flags that choose an engine.
func (o *options) players(c *cobra.Command) {
	o.game.define(c)
	f := c.Flags()
	f.StringVar(&o.model, "model", "", "network file, such as RUN/models/gen-000150.nnue, which also sets the variant; if empty, the network that comes with the program")
	f.StringVar(&o.player, "player", "", "who plays instead of --model: tree, tree:FILE, nnue, nnue:FILE, alphabeta:depth=N, alphabeta:time=D, alphabeta:nodes=N or random")
	f.StringVar(&o.search, "search", "", "search over the network: tree or alphabeta; if empty, the stronger one in the variant")
	f.IntVar(&o.visits, "visits", 0, "visits per move of a tree search")
	f.DurationVar(&o.time, "time", 0, "time per move, such as 2s; 1s when there is no other limit")
	tables(c, &o.egdb)
	o.book.define(c)
	cli.Complete(c, "search", searches...)
	cli.Complete(c, "player", "tree", "nnue", "alphabeta", "random")
}

// tables defines the flag of endgame tables.
func tables(c *cobra.Command, setting *string) {
	c.Flags().StringVar(setting, "egdb", egdb.Off, "endgame tables for the engine: on (yours, and those of up to 3 pieces), off, or the folder of others")
}

// bookFlags say which book an engine has and how it uses it.
type bookFlags struct {
	setting string
	use     engine.BookUse
}

func (f *bookFlags) define(c *cobra.Command) {
	c.Flags().StringVar(&f.setting, "book", book.On, "opening book of the engine: on (yours, else the one that comes with the program, if any), off, or the file of another; below full strength it is not used")
	c.Flags().IntVar(&f.use.Margin, "book-margin", engine.DefaultBookMargin, "the book's moves that lose at most so many hundredths of a man are drawn from")
	c.Flags().IntVar(&f.use.Plies, "book-ply", 0, "use the book for so many plies of a game; 0: as long as it goes")
}

func (f *bookFlags) check() error {
	if f.use.Margin < 0 || f.use.Plies < 0 {
		return cli.Usagef("--book-margin and --book-ply must not be negative")
	}
	return nil
}

// levels defines the flag that makes an engine weaker, for a person.
func (o *options) levels(c *cobra.Command) {
	c.Flags().IntVar(&o.level, "level", 0, fmt.Sprintf("strength from 1, a beginner, to %d; instead of --visits and --time", engine.Levels()))
}

// variant returns the variant of the flags, or of the network file if --variant was not given.
func (o *options) variant(c *cobra.Command) (*rules.Variant, error) {
	file := o.model
	if o.model != "" && o.player != "" {
		return nil, cli.Usagef("--model and --player contradict each other: give one of them")
	}
	if file == "" && o.player != "" {
		if spec, err := open.ParseSpec(o.player); err == nil {
			file = spec.File
		}
	}
	v, err := open.Variant(o.game.name, o.game.options, c.Flags().Changed("variant"), file)
	if err == nil {
		o.game.name = v.Name
	}
	return v, err
}

// engine makes the engine of the flags for a variant.
func (o *options) engine(v *rules.Variant) (engine.Engine, error) {
	if err := o.book.check(); err != nil {
		return nil, err
	}
	switch {
	case o.visits < 0 || o.time < 0:
		return nil, cli.Usagef("--visits and --time must be above 0")
	case o.visits > 0 && o.time > 0:
		return nil, cli.Usagef("--visits and --time contradict each other: give one of them")
	case o.search != "" && !slices.Contains(searches, o.search):
		return nil, cli.Usagef("--search %q is not known%s; use tree or alphabeta", o.search, cli.DidYouMean(o.search, searches))
	}
	spec, err := o.spec(v)
	if err != nil {
		return nil, err
	}
	e, err := open.Engine(v, spec, open.Settings{
		Limits: engine.Limits{Nodes: int64(o.visits), Time: o.time}, Tables: o.egdb,
		Book: o.book.setting, BookUse: o.book.use,
	})
	if err == nil && o.level > 0 {
		if err := e.SetLevel(o.level); err != nil {
			return nil, cli.Usagef("--level: %w", err)
		}
	}
	return e, err
}

// spec returns the description of the player that the flags choose. Only tree search counts
// visits, so --visits chooses it where --search chooses nothing.
func (o *options) spec(v *rules.Variant) (open.Spec, error) {
	if o.player != "" {
		spec, err := open.ParseSpec(o.player)
		if err != nil {
			return spec, cli.WithCode(cli.Usage, err)
		}
		if spec.Kind == open.Hub || spec.Kind == open.DXP {
			return spec, cli.Usagef("--player %q: other programs play in evaluate, and through DXP in play dxp; here use tree, tree:FILE, nnue, nnue:FILE, alphabeta:depth=N, alphabeta:time=D, alphabeta:nodes=N or random", o.player)
		}
		return spec, nil
	}
	search := rules.Search(o.search)
	if o.visits > 0 && search == "" {
		search = rules.TreeSearch
	}
	return open.Best(v, o.model, search)
}

// searches are the values of --search.
var searches = []string{string(rules.TreeSearch), string(rules.AlphaBetaSearch)}

// parseFEN reads a flag's FEN; "" is the start.
func parseFEN(v *rules.Variant, fen string) (rules.Position, error) {
	if fen == "" {
		return v.Start(), nil
	}
	p, err := rules.ParseFEN(v, fen)
	if err != nil {
		return p, cli.Usagef("--fen: %w", err)
	}
	return p, nil
}

// parseDiagram is parseFEN for those who only ask about a position: the side that is not to move
// may be without pieces.
func parseDiagram(v *rules.Variant, fen string) (rules.Position, error) {
	if fen == "" {
		return v.Start(), nil
	}
	p, err := rules.ParseDiagram(v, fen)
	if err != nil {
		return p, cli.Usagef("--fen: %w", err)
	}
	return p, nil
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// begin reads the flags that say what a game begins with.
func (o *options) begin(c *cobra.Command) (v *rules.Variant, start rules.Position, sides people, err error) {
	if v, err = o.variant(c); err != nil {
		return nil, start, sides, err
	}
	if start, err = parseFEN(v, o.fen); err != nil {
		return nil, start, sides, err
	}
	sides, ok := sidesNamed(o.side)
	if !ok {
		return nil, start, sides, cli.Usagef("--side %q is not known; use white, black, both or none", o.side)
	}
	if err = o.checkStrength(c); err == nil && o.pdn != "" {
		err = gamefile.Check(o.pdn) // now, not when a game is lost
	}
	return v, start, sides, err
}

// checkStrength returns an error if the flags of the engine's strength are wrong or contradict each
// other.
func (o *options) checkStrength(c *cobra.Command) error {
	switch {
	case c.Flags().Changed("level") && (o.level < 1 || o.level > engine.Levels()):
		return cli.Usagef("--level %d is not from 1 to %d", o.level, engine.Levels())
	case o.visits > 0 && o.search == string(rules.AlphaBetaSearch):
		return cli.Usagef("--visits is of a tree search: give --time or --level, or --search tree")
	case o.level > 0 && (o.visits > 0 || o.time > 0):
		return cli.Usagef("--level contradicts --visits and --time: give one of them")
	}
	return nil
}

func (o *options) play(c *cobra.Command) error {
	v, start, sides, err := o.begin(c)
	if err != nil {
		return err
	}
	e, err := o.engine(v)
	if err != nil {
		return err
	}
	in, out := c.InOrStdin(), c.OutOrStdout()
	terminal := isTerminal(in) && isTerminal(out)
	s := &session{
		v:       v,
		title:   o.game.String(),
		engine:  e,
		game:    rules.NewGameFrom(v, start),
		people:  sides,
		pdn:     o.pdn,
		level:   o.level,
		out:     &errWriter{w: out},
		prompt:  terminal,
		board:   newBoardStyle(o.ascii, isTerminal(out), os.Getenv),
		flipped: sides == people{rules.Black: true},

		informal: o.informal,
	}
	s.note = o.note(v, e)
	return s.run(c.Context(), in)
}

// note says in a sentence that no network comes for the variant and its options, "" if one does.
func (o *options) note(v *rules.Variant, e engine.Engine) string {
	spec, err := o.spec(v)
	if err != nil || o.player != "" || spec.Kind != open.AlphaBeta {
		return ""
	}
	text := fmt.Sprintf("No trained model for %s comes with the program, so %s plays, %s a move; --model FILE plays yours, --player another opponent.",
		o.game, e.Name(), cmp.Or(o.time, engine.DefaultTime))
	if o.visits > 0 {
		text += fmt.Sprintf(" %s does not count --visits.", e.Name())
	}
	return text
}

// errWriter keeps the first error of a writer.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.w.Write(p)
	e.err = err
	return n, err
}
