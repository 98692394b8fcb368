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
type Recomputer struct {
	actor    *Actor
	searcher Searcher
}

// NewRecomputer returns one for games that actors with cfg have played by such a searcher, which it uses
// alone; avoid as for [NewActor].
func NewRecomputer(v *rules.Variant, cfg Config, s Searcher, avoid func(rules.Position) bool) (*Recomputer, error) {
	a, err := NewActor(v, cfg, Identity{}, 0, avoid)
	if err != nil {
		return nil, err
	}
	return &Recomputer{a, s}, nil
}

// SetTables lets the games be played again with endgame tables, as [Actor.SetTables] does.
func (r *Recomputer) SetTables(t mcts.Prober) { r.actor.SetTables(t) }

// ErrOtherGame is wrapped by the errors for a record that no actor with these settings has left.
var ErrOtherGame = errors.New("another game")

// GameSeed returns the seed of game number of an actor: id has the run's seed and the actor's name.
func GameSeed(id Identity, number uint64) uint64 { return mix(id.Seed, hash(id.Actor), number) }

// Opening returns the start of game number of an actor: id has the run's seed and the actor's name.
func (r *Recomputer) Opening(id Identity, number uint64) rules.Position {
	a := r.actor
	a.source.Seed(GameSeed(id, number), 0)
	return a.opening(a.rng)
}

// Keeps reports whether a search of the stage takes something over from the one before: a part of its
// tree, or alpha-beta's table.
func (r *Recomputer) Keeps(s Stage) bool { return s.AlphaBeta || r.actor.cfg.MCTS.Reuse }

// Plies plays the plies of a game from one to another, the last included, again, as the stage says with a
// network of the generation, and returns their records. Where [Recomputer.Keeps], from must be the ply at
// which that network came to the game: what a search takes over is built again from there, and no cheaper way
// is exact. Plies before from are only replayed, and must be legal. The records may be fewer: where one
// differs from the game's, those behind it are of another game. Errors that do not wrap [ErrOtherGame]
// are the context's or the searcher's, and say nothing of the game.
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
