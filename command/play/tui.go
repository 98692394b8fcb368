package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/notation"
	"damier/notation/gamefile"
	"damier/rules"
	"damier/tui"
)

func newTUICommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "tui [flags]",
		Short: "Play on the whole screen of a terminal",
		Long: `Play on the whole screen of a terminal, by mouse and by keys, in every variant; ? shows all keys. It needs
nothing but the terminal, so it works over ssh.

The engine thinks while the screen stays alive, and shows the expected score, its best moves and the line it
expects. A refused move says why; if several captures are possible, the program asks. Games are written and read as
PDN, positions as FEN.

Colours are switched off by the environment variable NO_COLOR and by a terminal that has none; --ascii, or
a locale without UTF-8, draws everything in ASCII. A board of 10x10 with its panel needs 80 columns and 24
lines; on a smaller screen it shrinks, down to 30x14.

It refuses to start if standard input or output is no terminal; play terminal reads and writes plain lines.

Exit code: 0 left, 1 failure, 2 wrong usage or no terminal, 4 damaged or foreign model file, 130 stopped by
Ctrl-C (the game is written to --pdn all the same).`,
		Example: `  play tui
  play tui --variant russian --side black --level 3
  play tui --model runs/international/models/gen-000150.nnue --visits 2000 --pdn games.pdn
  play tui --player alphabeta:depth=6 --fen "W:W31,32,K40:B11,12,K7"
  play tui --variant turkish --side none   watch it play itself`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.playScreen(c) },
	}
	o.players(c)
	f := c.Flags()
	o.levels(c)
	f.StringVar(&o.side, "side", "white", "your side: white, black, both (no engine) or none (watch)")
	f.StringVar(&o.fen, "fen", "", "begin with this position; the start of the variant when empty")
	f.StringVar(&o.pdn, "pdn", "", "add the games to this PDN file when they are left")
	f.BoolVar(&o.ascii, "ascii", false, "draw in ASCII: w and b men, W and B kings")
	return c
}

func (o *options) playScreen(c *cobra.Command) error {
	v, start, sides, err := o.begin(c)
	switch {
	case err != nil:
		return err
	}
	in, out := c.InOrStdin(), c.OutOrStdout()
	if !isTerminal(in) || !isTerminal(out) {
		return cli.Usagef("play tui needs a terminal: standard input and output must both be one; plain lines are what play terminal reads and writes")
	}
	if os.Getenv("TERM") == "dumb" {
		return cli.Usagef("this terminal (TERM=dumb) cannot show a whole screen; play terminal goes line by line")
	}
	e, note, err := o.screenEngine(v)
	if err != nil {
		return err
	}
	g := tui.New(tui.Config{
		Game:   rules.NewGameFrom(v, start),
		Title:  o.game.String(),
		People: tui.People(sides),
		Engine: e,
		Note:   cmp.Or(note, "Click or drag, or use the arrows and enter; ? shows all keys."),
		Open: func(v *rules.Variant) (tui.Engine, string, error) {
			other := *o
			other.game = variantFlags{name: v.Name}
			other.model = "" // it belongs to its variant
			return other.screenEngine(v)
		},
		Save: func(file string, g *notation.Game) error {
			return gamefile.Append(file, []*notation.Game{g}, notation.Write)
		},
		Load:    loadGames,
		PDN:     o.pdn,
		Flipped: sides == people{rules.Black: true},
		Pace:    700 * time.Millisecond,
		Look:    tui.NewLook(o.ascii, os.Getenv),
		Date:    time.Now().Format("2006.01.02"),
	})
	err = tui.Run(c.Context(), g, in.(*os.File), out.(*os.File))
	if e := g.Close(); e != nil && (err == nil || errors.Is(err, tui.ErrInterrupted) || errors.Is(err, context.Canceled)) {
		err = e
	}
	if errors.Is(err, tui.ErrInterrupted) {
		return cli.WithCode(cli.Interrupted, errors.New("")) // as after a signal, without a message
	}
	return err
}

// screenEngine makes the engine of the flags for the screen. It also returns a note about the
// engine.
func (o *options) screenEngine(v *rules.Variant) (tui.Engine, string, error) {
	e, err := o.engine(v)
	if err != nil {
		return nil, "", err
	}
	note := o.note(v, e)
	if note != "" {
		note = fmt.Sprintf("No trained model for %s comes with the program, so %s plays. ? shows all keys.", o.game, e.Name())
	}
	return &screenEngine{Engine: e, level: o.level, tables: o.egdb}, note, nil
}

// screenEngine adapts an engine to tui.Engine.
type screenEngine struct {
	engine.Engine
	level  int    // 0 for the strength of the flags
	tables string // setting of endgame tables, which judge the moves of a hint or an analysis
	offers engine.DrawOffers
}

// Strength is part of tui.Engine.
func (s *screenEngine) Strength() string {
	own := s.Own()
	text := ""
	switch {
	case own.Time > 0:
		text = own.Time.String()
	case own.Depth > 0:
		text = fmt.Sprintf("depth %d", own.Depth)
	case own.Nodes > 0:
		text = fmt.Sprintf("%d %s", own.Nodes, s.Counts())
	}
	if s.level > 0 {
		text = fmt.Sprintf("%s (%s)", engine.LevelText(s.Engine, s.level), text)
	}
	return text
}

// Step implements tui.Engine. From a strength that is not a level it goes to the nearest level
// above or below.
func (s *screenEngine) Step(up bool) error {
	to := s.level + 1
	if !up {
		to = s.level - 1
	}
	if s.level == 0 {
		to = 1 // the first level above its present strength
		for to <= engine.Levels() && s.compare(engine.LevelOf(to)) >= 0 {
			to++
		}
		if !up {
			for to--; to > 0 && s.compare(engine.LevelOf(to)) <= 0; to-- {
			}
		}
	}
	switch {
	case to < 1:
		return fmt.Errorf("it has no level below this")
	case to > engine.Levels():
		return fmt.Errorf("it has no level above this")
	}
	if err := s.SetLevel(to); err != nil {
		return err
	}
	s.level = to
	return nil
}

// compare returns a negative number if the engine's own limits are below those of a level, 0 if
// they are equal, and a positive number if they are above. A time limit is above all levels.
func (s *screenEngine) compare(l engine.Level) int {
	own := s.Own()
	switch {
	case own.Time > 0 || own.Unset():
		return 1
	case own.Depth > 0:
		return own.Depth - l.Depth
	case s.Counts() == "visits":
		return int(own.Nodes) - l.Visits
	}
	return 1
}

// screenLines is the number of lines of an analysis on the screen.
const screenLines = 3

// Think is part of tui.Engine.
func (s *screenEngine) Think(ctx context.Context, g *rules.Game, task tui.Task, report func(tui.Thought)) (tui.Thought, error) {
	lines := 1 // in an alpha-beta search more lines cost depth
	if task == tui.Analyse {
		lines = screenLines
	}
	if err := s.Configure(engine.Options{Lines: lines}); err != nil {
		return tui.Thought{}, err
	}
	var verdicts map[rules.Move]string
	if task != tui.Play {
		var err error
		if verdicts, err = s.verdicts(ctx, g); err != nil {
			return tui.Thought{}, err
		}
	}
	judged := func(t engine.Thought) tui.Thought {
		x := onScreen(t)
		if len(x.Lines) > 0 {
			x.Verdict = verdicts[x.Lines[0].PV[0]]
		}
		return x
	}
	limits := engine.Limits{Analyze: task != tui.Play, Infinite: task == tui.Analyse}
	t, err := s.Engine.Think(ctx, g, limits, func(t engine.Thought) { report(judged(t)) })
	x := judged(t)
	if task == tui.Play && err == nil {
		x.Offer = s.offers.Played(&t, g.Ply()+1)
	}
	return x, err
}

// screenVerdictNodes is as verdictNodes, for a search that must end at once when nobody wants it.
const screenVerdictNodes = 20_000

// verdicts returns what the endgame tables know about the legal moves, in words.
func (s *screenEngine) verdicts(ctx context.Context, g *rules.Game) (map[rules.Move]string, error) {
	t, err := open.Tables(ctx, g.Variant(), s.tables)
	if t == nil || err != nil {
		return nil, err
	}
	words := map[rules.Move]string{}
	nodes := max(screenVerdictNodes/max(len(g.Legal()), 1), 1)
	verdicts, err := t.Verdicts(ctx, g.Position(), nodes)
	if err != nil {
		return nil, err
	}
	for _, x := range verdicts {
		if x.Known {
			words[x.Move] = x.String()
		}
	}
	return words, nil
}

// mostOnScreen is the largest number of moves listed on the screen.
const mostOnScreen = 5

// onScreen converts a thought to that of package tui.
func onScreen(t engine.Thought) tui.Thought {
	s := tui.Thought{Score: t.Expected, Depth: t.Depth, Nodes: t.Nodes, Elapsed: t.Elapsed, Book: t.Book}
	if len(t.Line) == 0 {
		return s
	}
	s.Lines = append(s.Lines, tui.Line{PV: t.Line, Value: t.Expected})
	for _, m := range t.Moves {
		switch {
		case m.Line[0] == t.Move:
			s.Lines[0].Visits = m.Visits
			if !math.IsNaN(m.Expected) {
				s.Lines[0].Value = m.Expected
			}
		case len(s.Lines) < mostOnScreen && !math.IsNaN(m.Expected):
			s.Lines = append(s.Lines, tui.Line{PV: m.Line, Value: m.Expected, Visits: m.Visits})
		}
	}
	return s
}

// listed is the largest size in bytes of a file whose games are listed, because memory holds all
// of them.
const listed = 32 << 20

// loadGames reads all games of a file, in PDN or in Manoury's notation. If some cannot be read it
// returns the others and an error.
func loadGames(v *rules.Variant, file string) ([]*notation.Game, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("loading a game: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, listed+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("loading a game: %w", err)
	case len(text) > listed:
		return nil, fmt.Errorf("%s: a file of more than %d MiB is too long to choose a game from; the line board (play, without tui) loads the last one", file, listed>>20)
	}
	games, err := notation.Parse(v, string(text))
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return games, err
}
