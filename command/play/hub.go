package play

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"damier/book"
	"damier/egdb"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/protocol/hub"
	"damier/rules"
)

func newHubCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "hub [flags]",
		Short: "Speak the Hub protocol, version 2, over standard input and output",
		Long: `Speak version 2 of the Hub protocol over standard input and output, so that any Hub program can play a
trained network, or another engine with --player. docs/hub.md lists the messages.

The parameter variant, like --variant, chooses the game: normal, killer, bt, frisian and losing as in Scan,
the rest by the names of --variant.

If the interface sends no level, --visits or --time applies. Malformed input is answered with an error
message and changes nothing. The end of the input ends the program.

Exit code: 0 after quit or the end of the input, 1 failure, 2 wrong usage, 4 damaged or foreign model file,
130 stopped by Ctrl-C.`,
		Example: `  play hub
  play hub --model runs/international/models/gen-000150.nnue
  play hub --player alphabeta:time=1s
  play hub --player nnue:level=3       a weaker opponent, from 1, a beginner, to 10
  play hub --variant frisian`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := o.variant(c)
			if err != nil {
				return err
			}
			e, err := newHubEngine(*o, v)
			if err != nil {
				return err
			}
			return hub.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout(), e)
		},
	}
	o.players(c)
	return c
}

// hubEngine is an engine as package hub wants it, with its parameters. It is made anew by Init
// when the variant or the network has been changed.
type hubEngine struct {
	engine.Engine
	options options // who plays: the flags, and what parameters have made of them
	next    *rules.Variant
	set     engine.Options // zero fields: nobody has chosen
	changed bool           // options or next, since the engine was made
	resized bool           // set, since the engine was made: memory is taken by Init
}

func newHubEngine(o options, v *rules.Variant) (*hubEngine, error) {
	e, err := o.engine(v)
	if err != nil {
		return nil, err
	}
	return &hubEngine{Engine: e, options: o, next: v}, nil
}

// programName returns the name of the program for other programs, with that of the engine if it is
// not the one that comes with it.
func programName(e engine.Engine) string {
	if e.Name() == "damier" {
		return "Damier"
	}
	return "Damier " + e.Name()
}

func (h *hubEngine) ID() hub.ID {
	return hub.ID{Name: programName(h), Version: cli.Version(), Author: "the Damier authors"}
}

func (h *hubEngine) Params() []hub.Param {
	params := []hub.Param{hub.VariantParam(h.next, hub.Variants()...)}
	if spec, err := open.ParseSpec(h.options.player); err == nil && spec.Kind == open.Random {
		return params
	}
	if h.options.player == "" {
		search := cmp.Or(h.options.search, string(h.next.Tuning().Search))
		params = append(params,
			hub.Param{Name: "network", Value: h.options.model, Type: hub.String},
			hub.Param{Name: "search", Value: search, Type: hub.Enum, Values: searches},
			hub.Param{Name: "visits", Value: strconv.Itoa(h.options.visits), Type: hub.Int, Min: 0, Max: 1 << 20},
			hub.Param{Name: "batch", Value: strconv.Itoa(h.set.Leaves), Type: hub.Int, Min: 0, Max: 64},
		)
	}
	return append(params,
		hub.Param{Name: "egdb", Value: cmp.Or(h.options.egdb, egdb.Off), Type: hub.String},
		hub.Param{Name: "book", Value: strconv.FormatBool(h.booked()), Type: hub.Bool},
		hub.Param{Name: "book-ply", Value: strconv.Itoa(h.options.book.use.Plies), Type: hub.Int, Min: 0, Max: 1000},
		hub.Param{Name: "book-margin", Value: strconv.Itoa(h.options.book.use.Margin), Type: hub.Int, Min: 0, Max: 1000},
		hub.Param{Name: "threads", Value: strconv.Itoa(cmp.Or(h.set.Cores, engine.Cores())), Type: hub.Int, Min: 1, Max: float64(engine.Cores())},
		hub.Param{Name: "tt-size", Value: strconv.Itoa(cmp.Or(h.set.TableBits, engine.DefaultTableBits)), Type: hub.Int, Min: 8, Max: 28},
		hub.Param{Name: "multi-pv", Value: strconv.Itoa(max(h.set.Lines, 1)), Type: hub.Int, Min: 1, Max: 32},
	)
}

// booked reports whether the engine looks into a book.
func (h *hubEngine) booked() bool {
	s := h.options.book.setting
	return s != "" && s != book.Off && !h.options.book.use.Off
}

func (h *hubEngine) SetParam(name, value string) error {
	switch name {
	case "variant":
		if value == hub.VariantName(h.next) {
			return nil // with the options it has
		}
		for _, v := range hub.Variants() {
			if hub.VariantName(v) == value {
				h.next, h.changed = v, true
			}
		}
		return nil
	case "search":
		h.changed = h.changed || value != h.options.search
		h.options.search = value
		return nil
	case "network":
		h.changed = h.changed || value != h.options.model
		h.options.model = value
		return nil
	case "egdb":
		h.changed = h.changed || value != h.options.egdb
		h.options.egdb = value
		return nil
	}
	use := &h.options.book.use
	if name == "book" {
		on := value == "true"
		h.changed = h.changed || on != h.booked()
		if use.Off = !on; on && (h.options.book.setting == "" || h.options.book.setting == book.Off) {
			h.options.book.setting = book.On
		}
		return nil
	}
	n, err := strconv.Atoi(value) // the others are numbers
	if err != nil {
		return fmt.Errorf("%s %q is not a whole number", name, value)
	}
	switch name {
	case "visits":
		h.changed = h.changed || n != h.options.visits
		if h.options.visits = n; n > 0 { // only tree search counts visits
			h.options.time, h.options.search = 0, string(rules.TreeSearch)
		}
	case "book-ply":
		h.changed = h.changed || n != use.Plies
		use.Plies = n
	case "book-margin":
		h.changed = h.changed || n != use.Margin
		use.Margin = n
	case "batch":
		h.set.Leaves = n
		return h.Configure(engine.Options{Leaves: max(n, 1)})
	case "threads":
		h.resized = h.resized || n != h.set.Cores
		h.set.Cores = n
	case "tt-size":
		h.resized = h.resized || n != h.set.TableBits
		h.set.TableBits = n
	case "multi-pv":
		h.set.Lines = n
		return h.Configure(engine.Options{Lines: n})
	}
	return nil
}

func (h *hubEngine) Init() error {
	if h.changed {
		e, err := h.options.engine(h.next)
		if err != nil {
			return err
		}
		h.Engine = e
	}
	if h.changed || h.resized {
		if err := h.Configure(h.set); err != nil {
			return err
		}
	}
	h.changed, h.resized = false, false
	return nil
}

func (h *hubEngine) Search(ctx context.Context, g *rules.Game, l hub.Limits, info func(hub.Info)) (hub.Result, error) {
	t, err := h.Think(ctx, g, hubLimits(l), func(t engine.Thought) {
		lines := hubLines(t, h.set.Lines)
		for _, line := range slices.Backward(lines[1:]) {
			info(line)
		}
		if len(lines) > 1 {
			lines[0].Rank = 1
		}
		info(lines[0])
	})
	if err != nil {
		return hub.Result{}, err
	}
	r := hub.Result{Move: t.Move}
	if len(t.Line) > 1 {
		r.Ponder = t.Line[1]
	}
	return r, nil
}

// hubLimits returns limits of the protocol as an engine has them.
func hubLimits(l hub.Limits) engine.Limits {
	return engine.Limits{Depth: l.Depth, Nodes: l.Nodes, Time: l.Time, Whole: l.Whole, Infinite: l.Infinite, Analyze: l.Analyze}
}

// hubLines returns what a thought tells: the line expected and, up to n lines, the next best
// moves.
func hubLines(t engine.Thought, n int) []hub.Info {
	first := hub.Info{Depth: t.Depth, Score: men(t.Expected, t.WinIn), Nodes: t.Nodes, Time: t.Elapsed, PV: t.Line, Book: t.Book}
	lines := []hub.Info{first}
	for _, m := range t.Moves {
		if len(lines) >= n || m.Line[0] == t.Move || math.IsNaN(m.Expected) {
			continue
		}
		line := hub.Info{
			Depth: t.Depth, Score: men(m.Expected, m.WinIn), Nodes: t.Nodes, Time: t.Elapsed, PV: m.Line, Rank: len(lines) + 1,
		}
		if m.Visits > 0 {
			line.Depth, line.Nodes = 1, m.Visits
		}
		lines = append(lines, line)
	}
	return lines
}

// men returns a score as Hub has it: men, or beyond them a win in so many plies.
func men(expected float64, winIn int) float64 {
	switch {
	case winIn > 0:
		return hub.Won(winIn)
	case winIn < 0:
		return -hub.Won(-winIn)
	}
	return engine.Men(expected)
}
