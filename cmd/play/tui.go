package main

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

	"damier/internal/cli"
	"damier/notation"
	"damier/protocol/hub"
	"damier/rules"
	levels "damier/strength"
	"damier/tui"
)

func newTUICommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "tui [flags]",
		Short: "Play on the whole screen of a terminal",
		Long: `Play on the whole screen of a terminal, by mouse and by keys, in every variant; ? shows all keys. It needs
nothing but the terminal, so it works over ssh.

The engine thinks while the screen stays alive, and shows win, draw and loss, its best moves and the line it
expects. A refused move says why, a capture that is not clear is asked about. Games are written and read as
PDN, positions as FEN.

Colours are switched off by the environment variable NO_COLOR and by a terminal that has none; --ascii, or
a locale without UTF-8, draws everything in ASCII. A board of 10x10 with its panel wants 80 columns and 24
lines; on less it shrinks, down to 30x14.

Where standard input or output is no terminal it refuses: plain lines are what play terminal reads and writes.

Exit code: 0 left, 1 failure, 2 wrong usage or no terminal, 4 damaged or foreign model file, 130 stopped by
Ctrl-C (the game is written to --pdn all the same).`,
		Example: `  play tui
  play tui --variant russian --side black --level 3
  play tui --model runs/international/models/gen-000150.safetensors --visits 2000 --pdn games.pdn
  play tui --player alphabeta:depth=6 --fen "W:W31,32,K40:B11,12,K7"
  play tui --variant turkish --side none   watch it play itself`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.playScreen(c) },
	}
	o.players(c)
	f := c.Flags()
	o.levels(c)
	f.StringVar(&o.side, "side", "white", "your side: white, black, both (nobody answers) or none (watch)")
	f.StringVar(&o.fen, "fen", "", "begin with this position; the start of the variant when empty")
	f.StringVar(&o.pdn, "pdn", "", "add the games to this PDN file when they are left")
	f.BoolVar(&o.ascii, "ascii", false, "draw in ASCII: w and b men, W and B kings")
	return c
}

func (o *options) playScreen(c *cobra.Command) error {
	v, start, sides, err := o.begin()
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
			return addGames(file, []*notation.Game{g}, notation.Write)
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
		return cli.WithCode(cli.Interrupted, errors.New("")) // as a signal would: nothing is said
	}
	return err
}

// screenEngine makes the engine of the flags for the screen, and a note about it.
func (o *options) screenEngine(v *rules.Variant) (tui.Engine, string, error) {
	e, err := o.engine(v)
	if err != nil {
		return nil, "", err
	}
	s := &screenEngine{engine: e, level: o.level}
	if n, ok := e.(*network); ok {
		n.lines = 5
	}
	if ab, ok := e.(*alphaBeta); ok && ab.config.Evaluator == nil && o.player == "" {
		return s, fmt.Sprintf("No trained model for %s comes with the program, so %s plays. ? shows all keys.", o.game, e.name()), nil
	}
	return s, "", nil
}

// screenEngine is an engine as the screen wants it.
type screenEngine struct {
	engine
	level int // 0: what the flags say
}

func (s *screenEngine) Name() string { return s.name() }
func (s *screenEngine) NewGame()     { s.newGame() }

// Strength is part of tui.Engine.
func (s *screenEngine) Strength() string {
	text := ""
	switch e := s.engine.(type) {
	case *network:
		if text = fmt.Sprintf("%d visits", cmp.Or(e.strength.visits, defaultVisits)); e.strength.time > 0 {
			text = e.strength.time.String()
		}
	case *alphaBeta:
		switch {
		case e.limits.Time > 0:
			text = e.limits.Time.String()
		case e.limits.Depth > 0:
			text = fmt.Sprintf("depth %d", e.limits.Depth)
		case e.limits.Nodes > 0:
			text = fmt.Sprintf("%d nodes", e.limits.Nodes)
		}
	}
	if s.level > 0 {
		text = fmt.Sprintf("%s (%s)", levelText(s.engine, s.level), text)
	}
	return text
}

// Step is part of tui.Engine. From a strength that is no level it goes to the next one that is.
func (s *screenEngine) Step(up bool) error {
	to := s.level + 1
	if !up {
		to = s.level - 1
	}
	if s.level == 0 {
		to = 1 // the first level above what it has
		for to <= levels.Count() && !s.below(levels.Of(to)) {
			to++
		}
		if !up {
			for to--; to > 0 && !s.above(levels.Of(to)); to-- {
			}
		}
	}
	switch {
	case to < 1:
		return fmt.Errorf("it has no level below this")
	case to > levels.Count():
		return fmt.Errorf("it has no level above this")
	}
	return s.setLevel(to)
}

// below and above report whether the engine's own strength is below or above a level. Where time bounds it, it is
// above all.
func (s *screenEngine) below(l levels.Level) bool {
	switch e := s.engine.(type) {
	case *network:
		return e.strength.time == 0 && cmp.Or(e.strength.visits, defaultVisits) < l.Visits
	case *alphaBeta:
		return e.limits.Time == 0 && e.limits.Depth > 0 && e.limits.Depth < l.Depth
	}
	return true
}

func (s *screenEngine) above(l levels.Level) bool {
	switch e := s.engine.(type) {
	case *network:
		return e.strength.time > 0 || cmp.Or(e.strength.visits, defaultVisits) > l.Visits
	case *alphaBeta:
		return e.limits.Time > 0 || e.limits.Depth == 0 || e.limits.Depth > l.Depth
	}
	return true
}

func (s *screenEngine) setLevel(level int) error {
	if err := s.engine.setLevel(level); err != nil {
		return err
	}
	s.level = level
	return nil
}

// Think is part of tui.Engine.
func (s *screenEngine) Think(ctx context.Context, g *rules.Game, task tui.Task, report func(tui.Thought)) (tui.Thought, error) {
	limits := hub.Limits{Analyze: task != tui.Play, Infinite: task == tui.Analyse}
	if ab, ok := s.engine.(*alphaBeta); ok {
		ab.lines = 1 // more of them cost it depth
		if task == tui.Analyse {
			ab.lines = 3
		}
	}
	t, err := s.think(ctx, g, limits, func(t thought) { report(onScreen(t)) })
	return onScreen(t), err
}

// onScreen returns a thought as the screen wants it.
func onScreen(t thought) tui.Thought {
	s := tui.Thought{Score: t.expected(), Depth: t.Depth, Nodes: t.Nodes, Elapsed: t.Time}
	if t.known {
		s.WDL = t.WDL
	}
	if len(t.PV) == 0 {
		return s
	}
	best := tui.Line{PV: t.PV, Visits: t.visits, Value: t.value}
	if math.IsNaN(best.Value) {
		best.Value = s.Score
	}
	s.Lines = append(s.Lines, best)
	for _, o := range t.others {
		line := tui.Line{PV: o.PV, Value: thought{Info: o}.expected()}
		if t.visits > 0 { // else they are the nodes of the whole search
			line.Visits = o.Nodes
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// listed is the size in bytes of a file whose games can be listed; memory holds them all.
const listed = 32 << 20

// loadGames reads all games of a file, in PDN or in Manoury's notation. Where some cannot be read there are the others and an
// error.
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
