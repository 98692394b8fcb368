package selfplay

import (
	"context"
	"errors"
	"fmt"

	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// Recomputer plays parts of recorded games again, to compare them with the records: random numbers are
// keyed by game and ply, so the same network finds the same again. It belongs to one goroutine.
type Recomputer struct{ actor *Actor }

// NewRecomputer returns one for games that actors with cfg have played; avoid as for [NewActor].
func NewRecomputer(v *rules.Variant, cfg Config, avoid func(rules.Position) bool) (*Recomputer, error) {
	cfg.Games = 1
	a, err := NewActor(v, cfg, Identity{}, 0, avoid)
	if err != nil {
		return nil, err
	}
	a.Renumber(0, 0)
	return &Recomputer{a}, nil
}

// GameSeed returns the seed of game number of an actor: id has the run's seed and the actor's name.
func GameSeed(id Identity, number uint64) uint64 { return mix(id.Seed, hash(id.Actor), number) }

// Opening returns the seed and the start of game number of an actor: id has the run's seed and the actor's
// name.
func (r *Recomputer) Opening(id Identity, number uint64, stage Stage) (seed uint64, start rules.Position) {
	a := r.actor
	a.SetStage(stage)
	s := a.slots[0]
	seed = GameSeed(id, number)
	s.source.Seed(seed, 0)
	return seed, a.opening(s.rng)
}

// Ply plays a ply of a game again with the network behind ev, which is of the generation, and returns its
// record. from is the ply at which the network came to the game: a tree that is kept from move to move is
// built again from there. Only plies before the last of them are looked at, and must be legal.
func (r *Recomputer) Ply(ctx context.Context, ev mcts.Evaluator, stage Stage, generation int, game data.Game, from, ply int) (data.Ply, error) {
	a := r.actor
	if from < 0 || ply < from || ply >= len(game.Plies) {
		return data.Ply{}, fmt.Errorf("ply %d of %d from ply %d on", ply, len(game.Plies), from)
	}
	if !a.cfg.Search.Reuse {
		from = ply
	}
	a.Renumber(0, 0)
	a.id.Generation = generation
	a.SetStage(stage)
	a.slots[0].search.Forget()
	game.Plies = game.Plies[:from:from]
	game.Outcome, game.Reason = rules.Ongoing, rules.NoReason
	if err := a.Restore([]data.Game{game}); err != nil {
		return data.Ply{}, err
	}
	var played []data.Ply
	s := a.slots[0]
	stop := func() bool { return s.game == nil || len(s.record.Plies) > ply }
	err := a.Run(ctx, ev, stop, func(g data.Game) { played = g.Plies })
	if err != nil {
		return data.Ply{}, err
	}
	if s.game != nil {
		played = s.record.Plies
	}
	if len(played) <= ply {
		return data.Ply{}, errors.New("played again, the game ends before the ply")
	}
	return played[ply], nil
}
