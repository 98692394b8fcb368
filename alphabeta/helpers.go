package alphabeta

import (
	"context"
	"sync"
	"sync/atomic"

	"damier/rules"
)

// team is what an engine and its helpers share beside the transposition table: they search the same position, each for
// itself, and what one finds cuts the others' trees short (Lazy SMP). The engine's own search decides the move.
type team struct {
	stop  atomic.Bool
	nodes atomic.Uint64 // visited by the helpers so far
	wait  sync.WaitGroup
}

// assist sets the helpers to work on the game's position, and returns what stops them and waits until they have.
func (e *Engine) assist(ctx context.Context, g *rules.Game) (stop func()) {
	t := e.team
	t.stop.Store(false)
	t.nodes.Store(0)
	e.assisted = true
	for i, h := range e.helpers {
		h.prepare(ctx, g, Limits{})
		h.table = e.table
		if h.deep != nil {
			h.deep.table = e.deep.table
		}
		h.stoppable, h.counted = true, 0
		t.wait.Go(func() { h.deepen(g.Position(), 1+(i+1)%2) })
	}
	return func() {
		t.stop.Store(true)
		t.wait.Wait()
	}
}

// deepen is the life of a helper in one search: iteration by iteration until it is stopped. Every other one begins a ply
// deeper, so that they are not all at the same.
func (h *Engine) deepen(p rules.Position, from int) {
	last := Score(0)
	for h.depth = from; h.depth <= MaxDepth && !h.stopped; h.depth++ {
		if h.aspire(p, last); !h.stopped {
			last = h.root[0].score
		}
	}
	h.count()
}

// count tells the team of the nodes visited since the last time.
func (h *Engine) count() {
	h.team.nodes.Add(h.nodes - h.counted)
	h.counted = h.nodes
}

// helped returns the nodes that helpers have visited in the search under way.
func (e *Engine) helped() uint64 {
	if !e.assisted {
		return 0
	}
	return e.team.nodes.Load()
}
