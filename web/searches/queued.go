package searches

import (
	"context"
	"errors"

	"damier/engine"
	"damier/rules"
)

// Queued is an engine that thinks in a queue, each search as a background job of its own: a review is
// many searches, and moves go between them. A search that gives way begins again. What it learns in
// one search is forgotten in the next, and it has no levels.
type Queued struct {
	queue  *Queue
	v      *rules.Variant
	player string
}

// NewQueued returns the engine of a player with the variant's own network.
func NewQueued(q *Queue, v *rules.Variant, player string) *Queued {
	return &Queued{queue: q, v: v, player: player}
}

// Name returns the name of the player.
func (e *Queued) Name() string { return e.player }

// Variant returns the rules that the engine plays by.
func (e *Queued) Variant() *rules.Variant { return e.v }

// Counts returns Visits for a tree search, else "nodes".
func (e *Queued) Counts() string {
	if e.player == TreeSearch {
		return Visits
	}
	return "nodes"
}

// Rated returns "": a review is not a level.
func (e *Queued) Rated() string { return "" }

// NewGame does nothing, for nothing is kept.
func (e *Queued) NewGame() {}

// Seed does nothing: an analysis chooses nothing at random.
func (e *Queued) Seed(uint64) {}

// errNoSetting is the answer to what would have to be kept.
var errNoSetting = errors.New("searches: an engine in the queue has limits for each search only")

// Configure returns an error.
func (e *Queued) Configure(engine.Options) error { return errNoSetting }

// Own returns no limits.
func (e *Queued) Own() engine.Limits { return engine.Limits{} }

// SetOwn returns an error.
func (e *Queued) SetOwn(engine.Limits) error { return errNoSetting }

// SetLevel returns an error.
func (e *Queued) SetLevel(int) error { return errNoSetting }

// Think has a worker search g, for MoveTime at most, and waits for it. What the search reports is
// reported when it is done, on the caller's goroutine. The error is ErrBusy when the queue is full.
func (e *Queued) Think(ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Thought)) (engine.Thought, error) {
	type answer struct {
		thought  engine.Thought
		reported []engine.Thought
		err      error
	}
	done := make(chan answer, 1)
	h := g.Clone()
	err := e.queue.Add(&Job{Context: ctx, Background: true, Run: func(ctx context.Context, w *Worker) {
		var a answer
		limited, cancel := context.WithTimeout(ctx, MoveTime)
		defer cancel()
		found, err := w.Engine(e.v, e.player, "")
		if err == nil {
			a.thought, err = found.Think(limited, h.Clone(), l, func(t engine.Thought) {
				a.reported = append(a.reported, t)
			})
		}
		if ctx.Err() != nil {
			return // nobody waits any more, or it gives way and begins again
		}
		a.err = err
		done <- a
	}})
	if err != nil {
		return engine.Thought{}, err
	}
	select {
	case <-ctx.Done():
		return engine.Thought{}, nil
	case a := <-done:
		if report != nil {
			for _, t := range a.reported {
				report(t)
			}
		}
		return a.thought, a.err
	}
}
