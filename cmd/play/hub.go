package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/player"
	"damier/protocol/hub"
	"damier/rules"
)

func newHubCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "hub [flags]",
		Short: "Speak the Hub protocol, version 2, over standard input and output",
		Long: `Speak version 2 of the Hub protocol over standard input and output, so that any Hub program can play the
model, or another engine with --player. docs/hub.md lists what is spoken.

The parameter variant, like --variant, chooses the game: normal, killer, bt, frisian and losing as in Scan,
the rest by the names of --variant.

Where the interface gives no level, --visits or --time holds. Malformed input is answered with an error
message and changes nothing. The end of the input ends the program.

Exit code: 0 after quit or the end of the input, 1 failure, 2 wrong usage, 4 damaged or foreign model file,
130 stopped by Ctrl-C.`,
		Example: `  play hub
  play hub --model runs/international/models/gen-000012.safetensors
  play hub --player alphabeta:time=1s
  play hub --player nnue:level=3       a weaker opponent, from 1, a beginner, to 10
  play hub --variant frisian`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := o.game.lookup()
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

// hubEngine is an engine as package hub wants it, with its parameters. It is made anew by Init when the variant or
// the model has been changed.
type hubEngine struct {
	engine
	options options // who plays: the flags, and what parameters have made of them
	next    *rules.Variant
	batch   int
	lines   int
	threads int  // cores to search on where time ends a search; 0 is all
	table   int  // binary logarithm of the entries of an alpha-beta's table
	changed bool // options or next, since the engine was made
}

func newHubEngine(o options, v *rules.Variant) (*hubEngine, error) {
	e, err := o.engine(v)
	if err != nil {
		return nil, err
	}
	return &hubEngine{engine: e, options: o, next: v, lines: 1, table: defaultTable}, nil
}

// defaultTable is the size of an alpha-beta's table that nobody has chosen: 16 MB.
const defaultTable = 20

func (h *hubEngine) ID() hub.ID {
	return hub.ID{Name: "Damier " + h.name(), Version: cli.Version(), Author: "the Damier authors"}
}

func (h *hubEngine) Variant() *rules.Variant { return h.variant() }

func (h *hubEngine) Params() []hub.Param {
	params := []hub.Param{hub.VariantParam(h.next, hub.Variants()...)}
	kind := player.Model
	if spec, err := player.ParseSpec(h.options.player); h.options.player != "" && err == nil {
		kind = spec.Kind
	}
	if kind == player.Random {
		return params
	}
	if kind == player.Model {
		params = append(params,
			hub.Param{Name: "network", Value: h.options.model, Type: hub.String},
			hub.Param{Name: "search", Value: cmp.Or(h.options.search, defaultSearch), Type: hub.Enum, Values: []string{searchAlphaBeta, searchTree}},
			hub.Param{Name: "visits", Value: strconv.Itoa(h.options.visits), Type: hub.Int, Min: 0, Max: 1 << 20},
			hub.Param{Name: "batch", Value: strconv.Itoa(h.batch), Type: hub.Int, Min: 0, Max: 64},
		)
	}
	return append(params, // the alpha-beta plays the variants that have no model, too
		hub.Param{Name: "threads", Value: strconv.Itoa(cmp.Or(h.threads, cores())), Type: hub.Int, Min: 1, Max: float64(cores())},
		hub.Param{Name: "tt-size", Value: strconv.Itoa(h.table), Type: hub.Int, Min: 8, Max: 28},
		hub.Param{Name: "multi-pv", Value: strconv.Itoa(h.lines), Type: hub.Int, Min: 1, Max: 32},
	)
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
	case "search":
		h.changed = h.changed || value != h.options.search
		h.options.search = value
	case "network":
		h.changed = h.changed || value != h.options.model
		h.options.model = value
	default:
		n, err := strconv.Atoi(value) // the others are numbers
		if err != nil {
			return err
		}
		switch name {
		case "visits":
			if h.options.model == "" && (n > 0) != (h.options.visits > 0) {
				h.changed = true // what comes with the program and counts visits is another network
			}
			if h.options.visits = n; n > 0 {
				h.options.time = 0
			}
		case "batch":
			h.batch = n
		case "threads":
			if _, now := h.engine.(*alphaBeta); now && n != h.threads {
				h.changed = true
			}
			h.threads = n
		case "tt-size":
			if _, now := h.engine.(*alphaBeta); now && n != h.table {
				h.changed = true // memory is taken by Init
			}
			h.table = n
		case "multi-pv":
			h.lines = n
		}
	}
	h.tell()
	return nil
}

// tell passes on what an engine can take at any time.
func (h *hubEngine) tell() {
	switch e := h.engine.(type) {
	case *network:
		e.strength, e.leaves = strength{visits: h.options.visits, time: h.options.time}, h.batch
		e.lines, e.threads = h.lines, h.threads
	case *alphaBeta:
		e.lines = h.lines
	}
}

func (h *hubEngine) Init() error {
	if !h.changed {
		return nil
	}
	e, err := h.options.engine(h.next)
	if err != nil {
		return err
	}
	if a, ok := e.(*alphaBeta); ok {
		if err := a.setTable(h.table); err != nil {
			return err
		}
		if h.threads > 0 {
			if err := a.setThreads(h.threads); err != nil {
				return err
			}
		}
	}
	h.engine, h.changed = e, false
	h.tell()
	return nil
}

func (h *hubEngine) NewGame() { h.newGame() }

func (h *hubEngine) Search(ctx context.Context, g *rules.Game, l hub.Limits, info func(hub.Info)) (hub.Result, error) {
	t, err := h.think(ctx, g, l, func(t thought) {
		for _, line := range slices.Backward(t.others) {
			info(line)
		}
		if len(t.others) > 0 {
			t.Rank = 1
		}
		info(t.Info)
	})
	if err != nil {
		return hub.Result{}, err
	}
	r := hub.Result{Move: t.PV[0]}
	if len(t.PV) > 1 {
		r.Ponder = t.PV[1]
	}
	return r, nil
}
