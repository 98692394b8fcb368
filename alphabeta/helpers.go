package alphabeta

import (
	"context"
	"sync"
	"sync/atomic"

	"damier/rules"
)

// team is what an engine and its helpers share besides the transposition table. All search the
// same position on their own, and what one stores in the table makes the trees of the others
// smaller (Lazy SMP). The engine's own search chooses the move.
type team struct {
	stop  atomic.Bool
	nodes atomic.Uint64 // visited by the helpers so far in this search
	wait  sync.WaitGroup
}

// assist starts the helpers on the position of g. stop ends them and waits until they have
// returned.
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

// deepen is the search of one helper: iteration by iteration until it is stopped. Every other
// helper begins one ply deeper, so that they do not all search the same depth.
func (h *Engine) deepen(p rules.Position, from int) {
	last := Score(0)
	for h.depth = from; h.depth <= MaxDepth && !h.stopped; h.depth++ {
		if h.aspire(p, last); !h.stopped {
			last = h.root[0].score
		}
	}
	h.count()
}

// count adds the nodes visited since its last call to those of the team.
func (h *Engine) count() {
	h.team.nodes.Add(h.nodes - h.counted)
	h.counted = h.nodes
}

// helped returns the number of nodes that helpers have visited in the present search.
func (e *Engine) helped() uint64 {
	if !e.assisted {
		return 0
	}
	return e.team.nodes.Load()
}
