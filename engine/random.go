package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"damier/rules"
)

// Random is an Engine that plays legal moves at random, each with the same probability.
type Random struct {
	variant *rules.Variant
	rng     *rand.Rand
}

// NewRandom returns a random engine.
func NewRandom(v *rules.Variant, seed uint64) *Random {
	r := &Random{variant: v}
	r.Seed(seed)
	return r
}

// Name implements [Engine].
func (r *Random) Name() string { return "random" }

// Variant implements [Engine].
func (r *Random) Variant() *rules.Variant { return r.variant }

// Counts implements [Engine].
func (r *Random) Counts() string { return "" }

// Rated implements [Engine].
func (r *Random) Rated() string { return "" }

// NewGame does nothing: the engine has no memory.
func (r *Random) NewGame() {}

// Seed implements [Engine].
func (r *Random) Seed(seed uint64) { r.rng = rand.New(rand.NewPCG(seed, 0x52616e646f6d)) }

// Configure implements [Engine].
func (r *Random) Configure(Options) error { return nil }

// Own implements [Engine].
func (r *Random) Own() Limits { return Limits{} }

// SetOwn is an error.
func (r *Random) SetOwn(Limits) error { return errors.New("a random player has no strength to set") }

// SetLevel is an error.
func (r *Random) SetLevel(int) error { return errors.New("a random player has no levels") }

// Think implements [Engine].
func (r *Random) Think(_ context.Context, g *rules.Game, _ Limits, report func(Thought)) (Thought, error) {
	legal := g.Legal()
	line := []rules.Move{legal[r.rng.IntN(len(legal))]}
	found := Thought{
		Move: line[0], Line: line, Expected: 0.5, Depth: 1, Nodes: 1,
		Moves: []Move{{Line: line, Expected: math.NaN()}},
	}
	if report != nil {
		report(found)
	}
	return found, nil
}
