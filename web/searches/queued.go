package searches

import (
	"context"
	"errors"

	"damier/engine"
	"damier/rules"
)

// Queued is an engine that runs each search as a background job of a queue. A review is many
// searches, so searches for a move can run between them. An interrupted search begins again.
// Nothing is kept from one search to the next, and there are no levels.
type Queued struct {
	queue  *Queue
	v      *rules.Variant
	player string
}

// NewQueued returns a Queued of a player with the variant's own network.
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

// Rated returns "" because a review has no level.
func (e *Queued) Rated() string { return "" }

// NewGame does nothing, because nothing is kept between searches.
func (e *Queued) NewGame() {}

// Seed does nothing, because an analysis makes no random choice.
func (e *Queued) Seed(uint64) {}

// errNoSetting is returned for settings that would have to outlast a search.
var errNoSetting = errors.New("searches: an engine in the queue takes limits with each search only")

// Configure always returns an error.
func (e *Queued) Configure(engine.Options) error { return errNoSetting }

// Own returns no limits.
func (e *Queued) Own() engine.Limits { return engine.Limits{} }

// SetOwn always returns an error.
func (e *Queued) SetOwn(engine.Limits) error { return errNoSetting }

// SetLevel always returns an error.
func (e *Queued) SetLevel(int) error { return errNoSetting }

// Think queues a search of g of at most MoveTime and waits for its result. Its reports are passed
// on when it is done, on the caller's goroutine. The error is ErrBusy when the queue is full.
func (e *Queued) Think(
	ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Thought),
) (engine.Thought, error) {
	type answer struct {
		thought  engine.Thought
		reported []engine.Thought
		err      error
	}
	done := make(chan answer, 1)
	h := g.Clone()
	run := func(ctx context.Context, w *Worker) {
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
			return // the caller has gone, or the job was interrupted and will begin again
		}
		a.err = err
		done <- a
	}
	if err := e.queue.Add(&Job{Context: ctx, Background: true, Run: run}); err != nil {
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
