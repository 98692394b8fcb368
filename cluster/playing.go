package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"damier/arena"
	"damier/data"
	"damier/rules"
	"damier/selfplay"
)

// workerActor is an actor and the orders that the game in progress was played by.
type workerActor struct {
	*selfplay.Actor
	game     string    // id of the game in progress when the last order came
	segments []segment // of that game
	now      string    // id of the current order
}

// runActors runs the actors until their games are played or the context is done.
func (w *Worker) runActors(ctx context.Context) error {
	first := w.current.Load()
	reserved := arena.ReservedKeys(w.variant)
	avoid := func(p rules.Position) bool { return reserved[p.Key()] }
	var actors []*workerActor
	failed := make(chan error, w.Actors)
	for i := range w.Actors {
		id := selfplay.Identity{Seed: first.Seed, Actor: fmt.Sprintf("%s-a%d", w.Name, i)}
		actor, err := selfplay.NewActor(w.variant, first.SelfPlay, id, 0, avoid)
		if err != nil {
			return err
		}
		if w.Games > 0 {
			actor.Renumber(0, uint64((w.Games+i)/w.Actors))
		}
		s := &workerActor{Actor: actor}
		if err := s.setOrder(w.variant, first); err != nil {
			return err
		}
		actors = append(actors, s)
	}
	for _, s := range actors {
		go func() { failed <- w.runActor(ctx, s, first) }()
	}
	var err error
	for range actors {
		err = errors.Join(err, <-failed)
	}
	return err
}

// setOrder gives the actor an order. The game in progress continues under it, with a new tree or
// table: the hub could not recompute searches that use results of an older network.
func (s *workerActor) setOrder(v *rules.Variant, o *loadedOrder) error {
	searcher, err := o.network.Searcher(v, o.SelfPlay)
	if err != nil {
		return err
	}
	if b, playing := s.Board(); playing {
		segments := s.segmentsOf(b.Game)
		s.game = b.Game
		s.segments = append(segments[:len(segments):len(segments)], segment{b.Ply, o.name})
	}
	s.now = o.name
	if o.tables != nil {
		s.SetTables(o.tables)
	}
	s.SetModel(searcher, o.Model, o.Generation)
	s.SetStage(o.Stage)
	return nil
}

// segmentsOf returns the orders that a game was played by.
func (s *workerActor) segmentsOf(game string) []segment {
	if s.game == game {
		return s.segments
	}
	return []segment{{0, s.now}}
}

// runActor plays the games of one actor and gives it new orders as they come.
func (w *Worker) runActor(ctx context.Context, s *workerActor, now *loadedOrder) error {
	stop := func() bool { return ctx.Err() != nil || w.current.Load() != now }
	for {
		err := s.Run(context.WithoutCancel(ctx), stop, func(g data.Game) {
			segments := s.segmentsOf(g.ID)
			if len(segments) > maxSegments { // it took longer than orders are kept
				return
			}
			w.finished.Add(1)
			select {
			case w.queue <- played{game: g, segments: segments}:
			case <-ctx.Done():
				select { // the worker stops, but this game is finished
				case w.queue <- played{game: g, segments: segments}:
				case <-time.After(flushPeriod):
				}
			}
		})
		w.mu.Lock()
		w.stats.Add(s.TakeStats())
		w.mu.Unlock()
		if err != nil {
			return err
		}
		if ctx.Err() != nil || s.Idle() {
			return nil
		}
		next := w.current.Load()
		if next == now {
			continue
		}
		now = next
		if err := s.setOrder(w.variant, now); err != nil {
			return err
		}
	}
}
