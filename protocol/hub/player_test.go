package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"damier/rules"
)

// player is an Engine for tests: it plays a random move, at once, or when its time or the context
// ends.
type player struct {
	rng    *rand.Rand
	visits string
	broken error
	inits  int
	games  int
	limits Limits
}

func newPlayer(seed uint64) *player {
	return &player{rng: rand.New(rand.NewPCG(seed, 0)), visits: "100"}
}

func (p *player) ID() ID { return ID{Name: "test engine", Version: "1", Author: "A. U. Thor"} }

func (p *player) Variant() *rules.Variant { return rules.International }

func (p *player) Init() error { p.inits++; return p.broken }

func (p *player) NewGame() { p.games++ }

func (p *player) Params() []Param {
	return []Param{
		VariantParam(rules.International),
		{Name: "visits", Value: p.visits, Type: Int, Min: 1, Max: 1000},
		{Name: "noise", Value: "0.5", Type: Real, Min: 0, Max: 1},
		{Name: "book", Value: "false", Type: Bool},
		{Name: "network", Value: "", Type: String},
	}
}

func (p *player) SetParam(name, value string) error {
	if name == "network" {
		return fmt.Errorf("no model at %s", value)
	}
	if name == "visits" {
		p.visits = value
	}
	return nil
}

func (p *player) Search(ctx context.Context, g *rules.Game, l Limits, info func(Info)) (Result, error) {
	if g.Over() || len(g.Legal()) == 0 {
		panic("a search in a game that is over")
	}
	p.limits = l
	legal := g.Legal()
	m := legal[p.rng.IntN(len(legal))]
	info(Info{Depth: 1, Score: 0.25, Nodes: 10, Time: 2 * time.Millisecond, PV: []rules.Move{m}})
	switch {
	case p.broken != nil:
		return Result{}, p.broken
	case l.Infinite && l.Depth == 0 && l.Nodes == 0:
		<-ctx.Done()
	case l.Time > 0:
		select {
		case <-ctx.Done():
		case <-time.After(l.Time):
		}
	}
	return Result{Move: m}, nil
}
