package arena

import (
	"context"
	"math/rand/v2"

	"damier/rules"
)

// Random plays a legal move at random, each with the same probability.
type Random struct{ rng *rand.Rand }

// NewRandom returns a random player with the given seed.
func NewRandom(seed uint64) *Random {
	r := &Random{}
	r.Seed(seed)
	return r
}

// Name returns "random".
func (r *Random) Name() string { return "random" }

// NewGame does nothing: the player has no memory.
func (r *Random) NewGame() {}

// Seed begins another sequence of random numbers.
func (r *Random) Seed(seed uint64) { r.rng = rand.New(rand.NewPCG(seed, 0x52616e646f6d)) }

// Play returns a random legal move.
func (r *Random) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	moves := g.Legal()
	return moves[r.rng.IntN(len(moves))], nil
}
