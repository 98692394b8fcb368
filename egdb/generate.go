package egdb

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"damier/rules"
)

// A cell is the knowledge about a position while its table is made, in 32 bits:
//
//	 0-15  the value so far: 0; or a win, which can only become shorter; or a loss, which counts once no quiet move
//	       within the pair of tables is left; so far it comes from crownings only
//	16-27  the number of moves within the pair of tables that are not known to lose
//	30     a crowning draws, so the position cannot be lost
//	31     the value is final: a capture, an immediate draw, or no move
const (
	cellMove   = 1 << 16
	cellMoves  = 0xfff << 16
	cellNoLoss = 1 << 30
	cellFinal  = 1 << 31
)

func cellValue(c uint32) value { return value(c) }

// settled returns the known value of a cell: 0 if it is neither won nor lost yet.
func settled(c uint32) value {
	v := cellValue(c)
	if v&1 == 0 && c&(cellMoves|cellNoLoss) != 0 {
		return 0
	}
	return v
}

// half is the unfinished table of one material of a pair.
type half struct {
	index *Index
	cells []uint32
	other *half // the table to which quiet moves lead; itself if both sides have the same material
}

// generator makes the tables of a pair of materials that differ in the side to move: all quiet
// moves except crownings lead from one to the other.
//
// It first visits every position once and looks forward, by the rules: captures and crownings lead
// to existing tables. Then the values spread backward, level by level: each position that is won
// or lost in d plies updates those from which a quiet move leads to it. The backward moves are
// computed from the facts of the variant; Verify checks the result forward, with the rules only.
type generator struct {
	tables *Tables // tables to which captures and crownings lead
	halves []*half
	top    atomic.Int64      // longest distance so far
	done   func(cells int64) // reports progress; may be nil
	failed atomic.Pointer[error]
}

// cellBytes is the memory in bytes for a position while its table is made: the cell and its value.
const cellBytes = 4 + 2

// generate returns the tables of m and m.Swap(), which may be the same. The tables of m.after()
// and m.Swap().after() must exist. When ctx is done it stops with its error.
func (t *Tables) generate(ctx context.Context, m Material, done func(cells int64)) ([]*table, error) {
	g := &generator{tables: t, done: done}
	x, err := t.board.index(m)
	if err != nil {
		return nil, err
	}
	h := &half{index: x, cells: make([]uint32, x.size)}
	h.other = h
	g.halves = []*half{h}
	if m != m.Swap() {
		y, err := t.board.index(m.Swap())
		if err != nil {
			return nil, err
		}
		h.other = &half{index: y, cells: make([]uint32, y.size), other: h}
		g.halves = append(g.halves, h.other)
	}
	if err := g.each(ctx, (*worker).start); err != nil {
		return nil, err
	}
	for d := 0; int64(d) <= g.top.Load(); d++ {
		if d >= maxPlies-1 {
			return nil, fmt.Errorf("%s of %s: a win takes more than %d plies", m, t.board.v, maxPlies)
		}
		level := func(w *worker, h *half, from, to uint64) { w.spread(h, from, to, d) }
		if err := g.each(ctx, level); err != nil {
			return nil, err
		}
	}
	var made []*table
	for _, h := range g.halves {
		raw := make([]value, h.index.size)
		for i, c := range h.cells {
			raw[i] = settled(c)
		}
		h.cells = nil
		made = append(made, &table{index: h.index, raw: raw})
	}
	return made, nil
}

// chunk is the number of cells that a worker takes at a time.
const chunk = 1 << 15

// each runs do over all cells of both halves, on all cores of the process.
func (g *generator) each(ctx context.Context, do func(w *worker, h *half, from, to uint64)) error {
	workers := runtime.GOMAXPROCS(0)
	var next atomic.Uint64
	var wait sync.WaitGroup
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			w := worker{generator: g}
			for ctx.Err() == nil && g.failed.Load() == nil {
				from := (next.Add(1) - 1) * chunk
				h := g.halves[0]
				if rounded := (h.index.size + chunk - 1) / chunk * chunk; from >= rounded {
					if len(g.halves) == 1 {
						break
					}
					from -= rounded
					h = g.halves[1]
				}
				if from >= h.index.size {
					break
				}
				do(&w, h, from, min(from+chunk, h.index.size))
			}
			w.raiseTop()
		}()
	}
	wait.Wait()
	if err := g.failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// fail ends the generation with an error.
func (g *generator) fail(err error) { g.failed.CompareAndSwap(nil, &err) }

// report counts finished work; each cell counts twice, when start visits it and when its value is
// known.
func (g *generator) report(cells int64) {
	if g.done != nil && cells > 0 {
		g.done(cells)
	}
}

// worker is the state of one goroutine.
type worker struct {
	*generator
	moves []rules.Move
	top   int
}

func (w *worker) raiseTop() {
	for {
		was := w.generator.top.Load()
		if int64(w.top) <= was || w.generator.top.CompareAndSwap(was, int64(w.top)) {
			return
		}
	}
}

// schedule makes sure that the level of a value will be visited.
func (w *worker) schedule(v value) {
	_, n := v.result()
	w.top = max(w.top, n)
}

// start sets the cells from the rules, without the pair of tables itself.
func (w *worker) start(h *half, from, to uint64) {
	var p placement
	for i := from; i < to; i++ {
		h.index.place(i, &p)
		c, err := w.first(h.index, &p)
		if err != nil {
			w.fail(err)
			return
		}
		h.cells[i] = c
		w.schedule(cellValue(c))
	}
	w.report(int64(to - from))
}

// first returns the cell of p before anything is known about quiet moves.
func (w *worker) first(x *Index, p *placement) (uint32, error) {
	b := w.tables.board
	v := b.v
	pos := b.position(p)
	w.moves = v.AppendMoves(w.moves[:0], pos)
	if len(w.moves) == 0 {
		return cellFinal | uint32(stuck(v, &pos)), nil
	}
	if v.DrawByCount(pos) != rules.NoReason {
		return cellFinal, nil
	}
	capture := w.moves[0].IsCapture()
	if !capture && x.material.Men == 0 {
		return uint32(len(w.moves)) * cellMove, nil
	}
	best, within := value(0), uint32(0)
	known := false
	for _, m := range w.moves {
		if !capture && !b.crowns(p, m) {
			within += cellMove
			continue
		}
		q := v.Play(pos, m)
		after, ok := w.tables.value(&q)
		if !ok {
			if err := w.tables.Err(); err != nil {
				return 0, err
			}
			return 0, fmt.Errorf("%s of %s: no table for %s, reached from %s", x.material, v, v.FEN(q), v.FEN(pos))
		}
		if u := after.before(); !known || u.better(best) {
			best, known = u, true
		}
	}
	if capture {
		return cellFinal | uint32(best), nil
	}
	c := within | uint32(best)
	if known && best == 0 {
		c |= cellNoLoss
	}
	return c, nil
}

// crowns reports whether a quiet move crowns a man.
func (b *board) crowns(p *placement, m rules.Move) bool {
	to := at(b.bitOf[m.To-1])
	return to.and(b.crown).any() && !p.kings.and(at(b.bitOf[m.From-1])).any()
}

// spread updates the positions before those that are won or lost in d plies.
func (w *worker) spread(h *half, from, to uint64, d int) {
	win, loss := winIn(d), lossIn(d)
	found := int64(0)
	for j := range h.cells[from:to] {
		c := atomic.LoadUint32(&h.cells[from+uint64(j)])
		switch v := cellValue(c); {
		case v == win:
			w.before(h, from+uint64(j), false, d+1)
			found++
		case v == loss && c&(cellMoves|cellNoLoss) == 0:
			w.before(h, from+uint64(j), true, d+1)
			found++
		}
	}
	w.report(found)
}

// before updates the positions from which a quiet move leads to position i of h: that move wins in
// the given number of plies, or loses.
func (w *worker) before(h *half, i uint64, wins bool, plies int) {
	var p placement
	h.index.place(i, &p)
	b := w.tables.board
	q := b.rotate(&p) // own pieces are now those of the side that has just moved
	o := h.other
	x := o.index
	occupied := q.men.or(q.kings).or(q.theirMen).or(q.theirKings)
	limited := x.runs > 1
	if !limited || q.run.n > 0 {
		prefix, base := x.menOf(q.men, q.theirMen)
		free := b.all.andNot(q.men).andNot(q.theirMen)
		theirRun := uint64(0)
		if x.theirRuns > 1 {
			theirRun = x.runDigit(q.theirRun, q.theirKings)
		}
		for kings := q.kings; kings.any(); kings = kings.rest() {
			from := kings.lowest()
			if limited && q.run.bit != from {
				continue
			}
			for _, d := range b.kingLines {
				for s := b.step[d&7][from]; s != none && !occupied.and(at(s)).any(); s = b.step[d&7][s] {
					moved := q.kings.andNot(at(from)).or(at(s))
					n := prefix*x.kingPlaces + rank(moved, free)
					n = n*x.theirKingPlaces + rank(q.theirKings, free.andNot(moved))
					if !limited {
						w.update(o, base+n*x.theirRuns+theirRun, wins, plies)
					} else {
						w.updateRuns(o, base, n, theirRun, &q, moved, s, wins, plies)
					}
					if !b.v.KingFlies {
						break
					}
				}
			}
		}
	}
	if q.run.n > 0 {
		return // a king made the last move
	}
	for men := q.men; men.any(); men = men.rest() {
		from := men.lowest()
		for _, d := range b.manBack {
			s := b.step[d&7][from]
			if s == none || occupied.and(at(s)).any() {
				continue
			}
			r := q
			r.men = q.men.andNot(at(from)).or(at(s))
			n, base := x.menOf(r.men, r.theirMen)
			free := b.all.andNot(r.men).andNot(r.theirMen)
			n = n*x.kingPlaces + rank(r.kings, free)
			n = n*x.theirKingPlaces + rank(r.theirKings, free.andNot(r.kings))
			theirRun := uint64(0)
			if x.theirRuns > 1 {
				theirRun = x.runDigit(r.theirRun, r.theirKings)
			}
			for run := range x.runs { // any king may have moved before that
				w.update(o, base+(n*x.runs+run)*x.theirRuns+theirRun, wins, plies)
			}
		}
	}
}

// updateRuns updates the positions before q from which a king has moved from bit s, for every
// count of king moves that is possible before that move. n is the number of the position without
// the runs.
func (w *worker) updateRuns(o *half, base, n, theirRun uint64, q *placement, kings set, s uint8, wins bool, plies int) {
	x := o.index
	update := func(run uint64) {
		w.update(o, base+(n*x.runs+run)*x.theirRuns+theirRun, wins, plies)
	}
	if q.run.n > 1 {
		update(x.runDigit(kingRun{q.run.n - 1, s}, kings))
		return
	}
	update(0)
	for others := kings.andNot(at(s)); others.any(); others = others.rest() {
		for k := 1; k <= x.board.limit; k++ {
			update(x.runDigit(kingRun{uint8(k), others.lowest()}, kings))
		}
	}
}

// update updates position i of h: one of its moves wins in the given number of plies, or one more
// of its moves loses.
func (w *worker) update(h *half, i uint64, wins bool, plies int) {
	cell := &h.cells[i]
	for {
		c := atomic.LoadUint32(cell)
		if c&cellFinal != 0 {
			return
		}
		v := cellValue(c)
		next := c
		if wins {
			u := winIn(plies)
			if v&1 != 0 && v <= u {
				return
			}
			next = c&^0xffff | uint32(u)
		} else {
			next = c - cellMove
			if next&(cellMoves|cellNoLoss) == 0 && v&1 == 0 {
				u := max(v, lossIn(plies)) // v is 0 or the longest loss by crowning
				next = next&^0xffff | uint32(u)
			}
		}
		if atomic.CompareAndSwapUint32(cell, c, next) {
			if next&0xffff != c&0xffff || next&cellMoves == 0 {
				w.schedule(cellValue(next))
			}
			return
		}
	}
}
