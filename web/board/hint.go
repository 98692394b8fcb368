package board

import (
	"context"

	"damier/notation"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// hintEffort is the effort of the search for a hint.
var hintEffort = effort{Visits: 800, Depth: 8}

// hint is the move that the best engine of the variant would play.
type hint struct {
	Rev   int          `json:"rev"`
	Text  string       `json:"text,omitempty"`
	From  rules.Square `json:"from,omitempty"`
	To    rules.Square `json:"to,omitempty"`
	Error *web.Said    `json:"error,omitempty"`
}

// doHint starts a search of the position by the best engine of the variant. Its move is sent as an
// event and not played.
func (b *board) doHint(request) (any, error) {
	if b.over() {
		return nil, web.Refuse(409, "over", "the game is over")
	}
	if b.stopHint != nil {
		b.stopHint() // the new request replaces the old one
	}
	ctx, cancel := context.WithCancel(b.ctx)
	b.stopHint = cancel
	g, rev := b.game.Clone(), b.rev
	v, p := g.Variant(), g.Position()
	player := b.server.config.Best(v)
	run := func(ctx context.Context, w *searches.Worker) {
		t, err := evaluate(ctx, w, g, player, "", hintEffort)
		b.mu.Lock()
		defer b.mu.Unlock()
		if ctx.Err() != nil || b.rev != rev {
			return
		}
		h := hint{Rev: rev}
		if err != nil {
			said := web.Failed(err)
			h.Error = &said
		} else {
			h.Text = notation.FormatMove(v, p, t.Move)
			h.From = t.Move.From
			h.To = t.Move.To
		}
		b.broadcast(event{"hint", web.Encode(h)})
	}
	err := b.server.queue.Add(&searches.Job{Context: ctx, Background: true, Run: run})
	if err != nil {
		return nil, web.Refuse(503, "busy", "%w", err)
	}
	return struct{}{}, nil
}
