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

// rootMove is a root move with its result in the last iteration.
type rootMove struct {
	move  rules.Move
	score Score // exact for the first of the list and within RandomTies; for the others an upper bound
	pv    []rules.Move
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

// aspire searches the root with a narrow window around the score of the last iteration, and widens
// it until the score fits.
func (e *Engine) aspire(p rules.Position, last Score) {
	alpha, beta := -infinite, infinite
	width := Score(30)
	if e.depth >= 4 && max(last, -last) < MateBound {
		alpha, beta = last-width, last+width
	}
	e.raised = false
	for {
		score := e.searchRoot(p, 0, alpha, beta)
		if e.stopped {
			return
		}
		e.raised = score >= beta && beta < infinite
		switch {
		case score <= alpha && alpha > -infinite:
			e.pace.falling = true
			beta = (alpha + beta) / 2
			if alpha = score - width; alpha < -MateBound/2 {
				alpha = -infinite
			}
		case e.raised:
			if beta = score + width; beta > MateBound/2 {
				beta = infinite
			}
		default:
			return
		}
		width *= 4
	}
}

// without returns the lines that do not begin with m, because one of the other moves may have
// become the best.
func without(lines []Line, m rules.Move) []Line {
	i := slices.IndexFunc(lines, func(l Line) bool { return l.PV[0] == m })
	if i < 0 {
		return lines
	}
	return slices.Concat(lines[:i], lines[i+1:])
}

// others searches, after an iteration, the best of the moves not reported yet, one after another.
// whole is false if the search was stopped before the end.
func (e *Engine) others(p rules.Position) (lines []Line, whole bool) {
	for i := 1; i < min(e.lines, len(e.root)); i++ {
		e.searchRoot(p, i, -infinite, infinite)
		if e.stopped {
			return lines, false
		}
		lines = append(lines, Line{e.root[i].score, slices.Clone(e.root[i].pv)})
	}
	return lines, true
}

// toFront moves root move m, whose line has been searched, to the front.
func (e *Engine) toFront(m rules.Move) {
	i := e.rootIndex(m)
	known := e.root[i]
	copy(e.root[1:i+1], e.root[:i])
	e.root[0] = known
}

// scoreOf returns the score of root move m in the last iteration.
func (e *Engine) scoreOf(m rules.Move) Score { return e.root[e.rootIndex(m)].score }

// rootIndex returns the index of root move m.
func (e *Engine) rootIndex(m rules.Move) int {
	return slices.IndexFunc(e.root, func(r rootMove) bool { return r.move == m })
}

// searchRoot searches the root moves from index first on and moves the best of them to that index.
// If it is stopped, it leaves the best of those searched there.
func (e *Engine) searchRoot(p rules.Position, first int, alpha, beta Score) Score {
	root := e.root[first:]
	e.keys[e.base] = p.Key()
	e.nodes++
	e.searched = 0
	best, ties := -infinite, e.config.RandomTies
	if e.deep != nil && e.limits.Best {
		ties = 0
	}
	for i := range root {
		r := &root[i]
		q := e.variant.Play(p, r.move)
		floor := alpha
		if ties > 0 {
			floor -= ties + 1 // moves within ties need exact scores
		}
		var score Score
		if less := e.rootLess(i, r.move); less > 0 {
			score = -e.descend(q, e.depth-1-less, -floor-1, -floor)
			if score > floor && !e.stopped {
				score = -e.descend(q, e.depth-1, -floor-1, -floor)
			}
		} else if i > 0 {
			score = -e.descend(q, e.depth-1, -floor-1, -floor)
		}
		if i == 0 || score > floor && !e.stopped {
			score = -e.descend(q, e.depth-1, -beta, -floor)
		}
		if e.stopped {
			return best
		}
		e.searched++
		r.score = score
		if i == 0 || score > best {
			best, alpha = score, max(alpha, score)
			r.pv = append(append(make([]rules.Move, 0, 16), r.move), e.frames[1].pv...)
			moved := *r
			copy(root[1:i+1], root[:i])
			root[0] = moved
			if score >= beta {
				break
			}
		}
	}
	for i := e.searched; i < len(root); i++ {
		root[i].score = -infinite
	}
	return best
}

// chooseTie picks one of the moves whose scores in the last complete iteration are equal to the
// best.
func (e *Engine) chooseTie(best *Info) {
	if len(e.ties) < 2 || best.PV[0] != e.ties[0].move || max(best.Score, -best.Score) >= MateBound {
		return
	}
	n := 1
	for _, r := range e.ties[1:] {
		if r.score >= e.ties[0].score-e.config.RandomTies {
			e.ties[n], n = r, n+1
		}
	}
	if i := e.rng.IntN(n); i > 0 {
		best.Score, best.PV = e.ties[i].score, []rules.Move{e.ties[i].move}
	}
}

// ended returns the score of p if it is a draw or an endgame table knows it. A side without a move
// has lost, or won, even if the draw rules count p as a draw.
func (e *Engine) ended(p *rules.Position, capturing bool, ply int) (Score, bool) {
	if e.variant.MayBeDrawn(p) {
		if score, ok := e.drawn(p, capturing, ply); ok {
			return score, true
		}
	}
	if e.mostProbed > 0 && e.few(p) {
		return e.probe(*p, ply)
	}
	return 0, false
}

// drawn is the part of ended about the draw rules.
func (e *Engine) drawn(p *rules.Position, capturing bool, ply int) (Score, bool) {
	if e.repeats(p, ply) {
		return 0, true
	}
	if e.variant.DrawByCount(*p) == rules.NoReason {
		return 0, false
	}
	if !capturing && !e.variant.CanMove(p) {
		return e.stuck(*p, ply), true
	}
	return 0, true
}

// stuck returns the score of p, in which the side to move has no legal move.
func (e *Engine) stuck(p rules.Position, ply int) Score {
	if o, _ := e.variant.Stuck(p); o == rules.Win(p.Turn) {
		return Mate - Score(ply)
	}
	return -Mate + Score(ply)
}

// repeats reports whether the search treats p as a draw by repetition: it occurred before on the
// path (or is the root), or in the game one time less than the rule demands.
func (e *Engine) repeats(p *rules.Position, ply int) bool {
	limit := e.variant.Draws.Repetition
	if p.Quiet < 4 || limit == 0 {
		return false
	}
	at := e.base + ply
	key := e.keys[at]
	before := 0
	for i := at - 4; i >= 0 && i >= at-int(p.Quiet); i -= 2 {
		if e.keys[i] != key {
			continue
		}
		if before++; before == limit-1 || i >= e.base {
			return true
		}
	}
	return false
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
