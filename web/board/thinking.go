package board

import (
	"context"
	"time"

	"damier/engine"
	"damier/web"
	"damier/web/searches"
)

// think starts the engine's search if an engine is to move. The caller holds the lock.
func (b *board) think() {
	if !b.auto || b.over() || b.thinking != nil || b.toMove().Player == person {
		return
	}
	pause := time.Duration(0)
	if b.seats[b.game.Position().Turn.Opponent()].Player != person && b.game.Ply() > 0 {
		pause = b.server.config.Pace // a person watches two engines
	}
	b.search(pause)
}

// search queues the search for a move, after a pause, by the engine to move. If a person is to
// move, the opponent's engine searches, or the best one. The caller holds the lock.
func (b *board) search(pause time.Duration) {
	s := b.toMove()
	own := s.Player != person // whether it plays for its own side
	if !own {
		s = b.seats[b.game.Position().Turn.Opponent()]
	}
	if s.Player == person {
		s = seat{Player: b.server.config.Best(b.game.Variant()), Level: 8}
	}
	ctx, cancel := context.WithCancel(b.ctx)
	b.thinking = cancel
	if b.clock != nil {
		b.clock.served = false
	}
	g := b.game.Clone()
	j := &searches.Job{Context: ctx, Run: func(ctx context.Context, w *searches.Worker) {
		b.mu.Lock()
		if ctx.Err() != nil {
			b.mu.Unlock()
			return
		}
		limit := b.startMoveClock()
		b.mu.Unlock()
		t, err := play(ctx, w, g, s, limit)
		b.mu.Lock()
		defer b.mu.Unlock()
		if ctx.Err() != nil {
			return // interrupted, because the board has changed
		}
		b.thinking = nil
		cancel()
		b.message = ""
		if err == nil {
			err = b.playFound(t, own)
		}
		if err != nil {
			b.auto = false
			b.tell(err)
		}
		b.changed()
	}}
	queue := func() error { return b.server.queue.Add(j) }
	if pause == 0 {
		if err := queue(); err != nil {
			b.searchFailed(err)
		}
		return
	}
	time.AfterFunc(pause, func() {
		if err := queue(); err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			if ctx.Err() == nil {
				b.searchFailed(err)
				b.rev++
				b.broadcast(event{"state", b.snapshot()})
			}
		}
	})
}

// playFound plays the move that an engine has found, for its own side or for that of a person, and
// offers the person a draw if it is time to. The caller holds the lock.
func (b *board) playFound(t engine.Thought, own bool) error {
	if err := b.makeMove(t.Move, nil, t.Elapsed); err != nil {
		return err
	}
	k := b.here()
	if t.Book && k != b.root && k.move == t.Move {
		k.book = true
	}
	if own && b.offers.Played(&t, b.game.Ply()) {
		if b.offered = k; b.drawOffered() {
			b.message = "offered"
		}
	}
	return nil
}

// searchFailed shows the error of a search that could not be queued. The caller holds the lock.
func (b *board) searchFailed(err error) {
	b.interrupt()
	b.auto = false
	b.tell(err)
}

// tell makes an error the message on the page. The caller holds the lock.
func (b *board) tell(err error) {
	said := web.Failed(err)
	b.message, b.said = said.Text, &said
}

// analyse stops the analysis and, if it is wanted, starts that of the position shown. The caller
// holds the lock.
func (b *board) analyse() {
	if b.stopAnalysis != nil {
		b.stopAnalysis()
		b.stopAnalysis = nil
	}
	b.lastAnalysis = event{}
	if !b.analysing || b.over() || len(b.streams) == 0 || b.reviewing() {
		return // listen starts it, or endReview
	}
	ctx, cancel := context.WithCancel(b.ctx)
	b.stopAnalysis = cancel
	g, rev := b.game.Clone(), b.rev
	analyst := b.server.config.Analyst(g.Variant())
	run := func(ctx context.Context, w *searches.Worker) {
		err := analyse(ctx, w, g, analyst, func(t engine.Thought) {
			e := event{"analysis", analysisOf(g, rev, analyst, t)}
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.rev == rev {
				b.lastAnalysis = e
				b.broadcast(e)
			}
		})
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.rev != rev || ctx.Err() != nil {
			return
		}
		if err != nil {
			b.tell(err)
			b.broadcast(event{"state", b.snapshot()})
			return
		}
		b.broadcast(event{"analysed", web.Encode(map[string]int{"rev": rev})})
	}
	err := b.server.queue.Add(&searches.Job{Context: ctx, Background: true, Run: run})
	if err != nil {
		b.broadcast(event{"analysis", web.Encode(map[string]any{"rev": rev, "error": web.Failed(err)})})
	}
}
