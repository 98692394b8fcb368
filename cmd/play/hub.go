package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"damier/internal/cli"
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

Where the interface gives no level, --visits or --time holds. Malformed input is answered with an error
message and changes nothing. The end of the input ends the program.

Exit code: 0 after quit or the end of the input, 1 failure, 2 wrong usage, 4 damaged or foreign model file,
130 stopped by Ctrl-C.`,
		Example: `  play hub
  play hub --model runs/international/models/gen-000012.safetensors
  play hub --player alphabeta:time=1s`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := o.engine()
			if err != nil {
				return err
			}
			return hub.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout(), &hubEngine{engine: e, network: o.model})
		},
	}
	o.players(c)
	return c
}

// hubEngine is an engine as package hub wants it, with its parameters. A model is loaded again by Init when
// its file has been changed.
type hubEngine struct {
	engine
	network string // the file; "" for the model that comes with the program
	changed bool
}

func (h *hubEngine) ID() hub.ID {
	return hub.ID{Name: "Damier " + h.name(), Version: cli.Version(), Author: "the Damier authors"}
}

func (h *hubEngine) Variant() *rules.Variant { return h.variant() }

func (h *hubEngine) Params() []hub.Param {
	params := []hub.Param{hub.VariantParam(h.variant())}
	if n, ok := h.engine.(*network); ok {
		visits := n.strength.visits
		if visits == 0 {
			visits = defaultVisits
		}
		params = append(params,
			hub.Param{Name: "network", Value: h.network, Type: hub.String},
			hub.Param{Name: "visits", Value: strconv.Itoa(visits), Type: hub.Int, Min: 1, Max: 1 << 20},
			hub.Param{Name: "batch", Value: strconv.Itoa(n.leaves), Type: hub.Int, Min: 0, Max: 64},
		)
	}
	return params
}

func (h *hubEngine) SetParam(name, value string) error {
	n, ok := h.engine.(*network)
	if !ok || name == "variant" {
		return nil // its one value is set
	}
	switch name {
	case "network":
		h.changed = h.changed || value != h.network
		h.network = value
	case "visits":
		visits, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		n.strength = strength{visits: visits}
	case "batch":
		leaves, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		n.leaves = leaves
	}
	return nil
}

func (h *hubEngine) Init() error {
	if n, ok := h.engine.(*network); ok && h.changed {
		if err := n.load(h.network); err != nil {
			return err
		}
		h.changed = false
	}
	return nil
}

func (h *hubEngine) NewGame() { h.newGame() }

func (h *hubEngine) Search(ctx context.Context, g *rules.Game, l hub.Limits, info func(hub.Info)) (hub.Result, error) {
	t, err := h.think(ctx, g, l, func(t thought) { info(t.Info) })
	if err != nil {
		return hub.Result{}, err
	}
	r := hub.Result{Move: t.PV[0]}
	if len(t.PV) > 1 {
		r.Ponder = t.PV[1]
	}
	return r, nil
}
