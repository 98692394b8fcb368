package selfplay

import (
	"context"
	"errors"
	"fmt"

	"damier/data"
	"damier/rules"
)

// Recomputer plays parts of recorded games again, to compare them with the records. Random numbers
// depend only on game and ply, so the same network gives the same searches. Only one goroutine may
// use it.
type Recomputer struct {
	actor    *Actor
	searcher Searcher
}

// NewRecomputer returns a Recomputer for games that actors with cfg have played with such a
// searcher. Nothing else may use s. avoid is as for [NewActor].
func NewRecomputer(v *rules.Variant, cfg Config, s Searcher, avoid func(rules.Position) bool) (*Recomputer, error) {
	a, err := NewActor(v, cfg, Identity{}, 0, avoid)
	if err != nil {
		return nil, err
	}
	return &Recomputer{a, s}, nil
}

// SetTables lets the games be played again with endgame tables, as [Actor.SetTables] does.
func (r *Recomputer) SetTables(t Tables) { r.actor.SetTables(t) }

// ErrOtherGame is wrapped by the errors for a record that no actor with these settings could have
// made.
var ErrOtherGame = errors.New("another game")

// GameSeed returns the seed of the game with this number; id has the run's seed and the actor's
// name.
func GameSeed(id Identity, number uint64) uint64 { return mix(id.Seed, hash(id.Actor), number) }

// Opening returns the start of the game with this number; id has the run's seed and the actor's
// name.
func (r *Recomputer) Opening(id Identity, number uint64) rules.Position {
	a := r.actor
	a.source.Seed(GameSeed(id, number), 0)
	return a.opening(a.rng)
}

// Keeps reports whether a search of the stage depends on the one before, by a reused subtree or by
// the table of alpha-beta.
func (r *Recomputer) Keeps(s Stage) bool { return s.AlphaBeta || r.actor.cfg.MCTS.Reuse }

// Plies plays the plies from to last (inclusive) of a game again, in the given stage with a
// network of the given generation, and returns their records. If [Recomputer.Keeps], from must be
// the first ply that this network played in the game, because only then the reused subtree or
// table is exactly the same. Plies before from are only replayed, and must be legal. If a new
// record differs from that of the game, Plies stops after it. Errors that do not wrap
// [ErrOtherGame] are those of the context or the searcher, and say nothing about the game.
func (r *Recomputer) Plies(ctx context.Context, stage Stage, generation int, game data.Game, from, last int) ([]data.Ply, error) {
	a := r.actor
	if from < 0 || last < from || last >= len(game.Plies) {
		return nil, fmt.Errorf("%w: plies %d to %d of %d", ErrOtherGame, from, last, len(game.Plies))
	}
	a.Renumber(0, 0)
	a.SetModel(r.searcher, "", generation)
	a.SetStage(stage)
	game.Plies = game.Plies[:from:from]
	game.Outcome, game.Reason = rules.Ongoing, rules.NoReason
	if err := a.Restore([]data.Game{game}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherGame, err)
	}
	var played []data.Ply
	stop := func() bool { return a.game == nil || len(a.record.Plies) > last }
	if err := a.Run(ctx, stop, func(g data.Game) { played = g.Plies }); err != nil {
		return nil, err
	}
	if a.game != nil {
		played = a.record.Plies
	}
	if len(played) <= from {
		return nil, fmt.Errorf("%w: played again, it ends before the ply", ErrOtherGame)
	}
	return played[from:], nil
}
