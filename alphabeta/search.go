package alphabeta

import (
	"context"
	"math"
	"slices"
	"time"

	"damier/rules"
)

// search is the state of one search, and the memory that later searches reuse.
type search struct {
	ctx       context.Context
	limits    Limits
	began     time.Time
	nodes     uint64
	nodeLimit uint64
	stoppable bool // the first iteration is finished, so there is a result
	stopped   bool
	depth     int // of the present iteration
	pace      pace

	keys []uint64 // of the positions that can be repeated: those of the game up to the root, then those of the path
	base int      // index of the root in keys

	frames  [maxPly + 1]frame
	history [2][rules.MaxSquares + 1][rules.MaxSquares + 1]int32

	root     []rootMove
	searched int        // number of root moves searched in this iteration
	raised   bool       // the first root move failed high, and is being searched with a wider window
	ties     []rootMove // the root moves after the last complete iteration
}

// frame is the state of the search at one ply of the path.
type frame struct {
	moves   []rules.Move
	order   []int32
	pv      []rules.Move
	killers [2]rules.Move
}

// forget drops the killers and the history.
func (s *search) forget() {
	for i := range s.frames {
		s.frames[i].killers = [2]rules.Move{}
	}
	s.history = [2][rules.MaxSquares + 1][rules.MaxSquares + 1]int32{}
}

// run searches iteration by iteration.
func (e *Engine) run(ctx context.Context, g *rules.Game, l Limits, info func(Info)) Info {
	e.prepare(ctx, g, l)
	p := g.Position()
	deepest := MaxDepth
	if l.Depth > 0 {
		deepest = min(l.Depth, MaxDepth)
	}
	if len(e.root) == 1 && l != (Limits{}) && !e.config.NoReductions {
		deepest = 1 // there is one legal move
	}
	known, isKnown := e.bestKnown(p)
	if isKnown {
		deepest = 1
	}
	if len(e.helpers) > 0 && deepest > 1 && l.Depth == 0 && l.Nodes == 0 {
		stop := e.assist(ctx, g)
		defer stop()
	}
	var best Info
	for e.depth = 1; e.depth <= deepest; e.depth++ {
		e.aspire(p, best.Score)
		if e.searched == 0 && !e.raised { // stopped within the first move
			if !e.stoppable {
				best.Score, best.PV = e.eval.score(p), []rules.Move{e.root[0].move}
			} // else the result of the last iteration stands
			break
		}
		if isKnown && e.root[0].score < 0 == (e.scoreOf(known) < 0) {
			e.toFront(known) // else it loses, and the best move draws by repetition
		}
		best.Score, best.PV = e.root[0].score, slices.Clone(e.root[0].pv)
		if e.stopped {
			break
		}
		e.ties = append(e.ties[:0], e.root...)
		if others, whole := e.others(p); whole {
			best.Others = others
		}
		best.Others = without(best.Others, best.PV[0])
		best.Depth, best.Nodes, best.Elapsed = e.depth, e.nodes+e.helped(), time.Since(e.began)
		if info != nil {
			info(best)
		}
		e.stoppable = true
		e.pace.iterated(best.PV[0], best.Score)
		// A win or loss proved within the depth searched cannot change.
		if s := max(best.Score, -best.Score); s >= MateBound && int(Mate-s) <= e.depth && !e.config.NoReductions {
			break
		}
		if e.stopped {
			break
		}
		if e.hurry(); e.stopped {
			break
		}
	}
	best.Others = without(best.Others, best.PV[0])
	best.Nodes, best.Elapsed = e.nodes+e.helped(), time.Since(e.began)
	if e.config.RandomTies > 0 && !e.limits.Best {
		e.chooseTie(&best)
	}
	return best
}

// prepare initialises a search of the position of g.
func (e *Engine) prepare(ctx context.Context, g *rules.Game, l Limits) {
	e.ctx, e.limits, e.began = ctx, l, time.Now()
	e.nodes, e.nodeLimit = 0, math.MaxUint64
	if l.Nodes > 0 {
		e.nodeLimit = l.Nodes
	}
	e.stoppable, e.stopped, e.assisted = false, false, false
	should, must := l.Time, l.Time
	if l.Whole {
		should = 0
	} else if at, ok := ctx.Deadline(); ok {
		must = at.Sub(e.began)
	}
	e.pace.start(should, must)
	e.table.age++
	if e.config.NoReductions {
		e.table.clear()
	}
	if e.deep != nil {
		e.deep.table.older()
		if e.config.NoReductions {
			e.deep.table.clear()
		}
	}
	positions := g.Positions()
	first := max(0, len(positions)-1-int(g.Position().Quiet))
	e.keys = e.keys[:0]
	for _, q := range positions[first:] {
		e.keys = append(e.keys, q.Key())
	}
	e.base = len(e.keys) - 1
	e.keys = append(e.keys, make([]uint64, maxPly+1)...)
	e.root = e.root[:0]
	for _, m := range g.Legal() {
		e.root = append(e.root, rootMove{move: m, score: -infinite})
	}
	squares := e.variant.Board.Squares() + 1 // the board of the variant uses no higher index
	for c := range e.history {
		for from := range e.history[c][:squares] {
			row := e.history[c][from][:squares]
			for to := range row {
				row[to] /= 4
			}
		}
	}
}

// hurry stops the search between two iterations if the next one would probably not finish in time.
func (e *Engine) hurry() {
	if e.pace.enough(time.Since(e.began)) || e.nodes >= e.nodeLimit || e.ctx.Err() != nil {
		e.stopped = true
	}
}

// firstNodes is the number of nodes within which the first iteration is finished whatever the
// limits. In a composed position with many kings it could go on for minutes.
const firstNodes = 4096

// check tests the limits within an iteration.
func (e *Engine) check() {
	if !e.stoppable && e.nodes < firstNodes {
		return
	}
	if e.helping {
		e.count()
		e.stopped = e.team.stop.Load()
		return
	}
	if e.nodes >= e.nodeLimit || e.ctx.Err() != nil || e.limits.Time > 0 && e.timeUp() {
		e.stopped = true
	}
}

// timeUp reports whether the time of an iteration is over.
func (e *Engine) timeUp() bool {
	elapsed := time.Since(e.began)
	if e.pace.should > 0 {
		return e.pace.over(elapsed)
	}
	return elapsed >= e.limits.Time
}

// tableKey returns the key of p in the table. The draw counters are part of it where they begin to
// matter: those for few pieces always, that for king moves when it is near its end. With
// NoReductions, where the value must be exact, the key includes all counters and the positions
// that could be repeated.
func (e *Engine) tableKey(p *rules.Position, key uint64, ply int) uint64 {
	const m1, m2 = 0x9fb21c651e98df25, 0xd6e8feb86659fd93
	if e.config.NoReductions {
		at := e.base + ply
		for i := at - 1; i >= 0 && i >= at-int(p.Quiet); i-- {
			k := e.keys[i] * m1
			key ^= k ^ k>>29
		}
	} else if p.Endgame == 0 && p.Road == 0 && (e.kingPlies == 0 || int(p.Quiet) < e.kingPlies-20) {
		return key
	}
	k := (uint64(p.Road)<<16 | uint64(p.Endgame)<<8 | uint64(p.Quiet)) * m2
	return key ^ k ^ k>>32
}

// Marks of moves, for move ordering.
const (
	markTable   = 1 << 30
	markKiller  = 1 << 28
	historyRoof = 1 << 24
)
