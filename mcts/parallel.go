package mcts

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// collisions is how often in a row a goroutine of a parallel search may meet a leaf that is in
// flight. It then waits for an evaluation.
const collisions = 8

// Quick is an evaluator that needs hardly more time for a leaf than the tree does. If several of
// them search one tree, each would wait for the tree after every leaf, so each takes up to
// Together leaves at a time.
type Quick interface {
	Evaluator
	Together() int
}

// RunParallel searches until Done with several evaluators at once. Each runs on its own goroutine,
// with up to batch leaves at a time, or more if it is [Quick]. A simulation holds the tree, which
// only one goroutine can hold, for a microsecond or two; an evaluation takes some hundred
// microseconds without holding it:
//
//	goroutine 1   gather |  evaluate  | back up, gather |  evaluate  | ...
//	goroutine 2          | gather |  evaluate  | back up, gather | ...
//
// No goroutine waits for the evaluation of another, except where the Gumbel rule needs all values
// before it halves. The leaves in flight count as visits. The result depends on which evaluation
// ends first, so two runs differ. With one evaluator RunParallel is Run, and two runs are equal.
//
// RunParallel calls watch, if not nil, after every evaluation, and after every [mostEnds]
// simulations that needed none. It holds the tree then, so watch may call Result. The search stops
// when watch returns true. The result and the errors are those of [Search.Run].
func (s *Search) RunParallel(ctx context.Context, evs []Evaluator, batch int, watch func() (enough bool)) (Result, error) {
	if len(evs) == 0 || s.flying > 0 {
		panic("mcts: RunParallel without an evaluator, or before Backup")
	}
	if len(s.gatherers) < len(evs) {
		s.gatherers = append(s.gatherers, make([]gatherer, len(evs)-len(s.gatherers))...)
	}
	for i := range evs {
		h := &s.gatherers[i]
		h.scoutings = h.scoutings[:0]
		switch {
		case len(evs) == 1:
			h.scout = nil
		case h.scout == nil && s.combinations != nil:
			h.scout = newCombinations(s.variant)
		}
	}
	for _, ev := range evs {
		if q, ok := ev.(Quick); ok && len(evs) > 1 {
			batch = max(batch, q.Together())
		}
	}
	under := int16(1)
	if len(evs) == 1 && batch <= 1 {
		under = 0
	}
	r := &parallel{search: s, batch: max(batch, 1), under: under, watch: watch}
	r.backedUp.L = &r.mu
	if len(evs) == 1 {
		r.alone = true
		r.collisions = r.batch / 2
		r.work(ctx, evs[0], &s.gatherers[0])
	} else {
		r.collisions = max(collisions, r.batch/2)
		if len(evs) <= runtime.GOMAXPROCS(0) {
			r.spins = spins
		}
		var others sync.WaitGroup
		for i, ev := range evs[1:] {
			others.Go(func() { r.work(ctx, ev, &s.gatherers[i+1]) })
		}
		r.work(ctx, evs[0], &s.gatherers[0])
		others.Wait()
	}
	return s.Result(), r.err
}

// parallel is one run of a search on several goroutines.
type parallel struct {
	batch, collisions int
	spins             int
	under             int16
	alone             bool // there is one goroutine, which holds the tree all the time
	watch             func() bool

	mu       sync.Mutex // guards the tree
	search   *Search
	err      error     // the first error
	backedUp sync.Cond // signalled when leaves were backed up or abandoned
}

// work gathers, evaluates and backs up until the search is done.
func (r *parallel) work(ctx context.Context, ev Evaluator, h *gatherer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.backedUp.Broadcast() // the others may have to end too
	s, looks := r.search, 0
	for r.err == nil && !s.Done() {
		if r.err = ctx.Err(); r.err != nil {
			return
		}
		h.leaves = s.gather(h, h.leaves[:0], r.batch, r.collisions, r.under)
		if len(h.leaves) == 0 {
			h.scoutAll()
			s.favourAll(h)
			if s.flying > 0 {
				r.backedUp.Wait()
			} else if r.watch != nil && r.watch() {
				s.Stop()
			}
			continue
		}
		if looks++; looks%yieldEvery == 0 {
			r.yield()
		}
		err := r.evaluate(ctx, ev, h)
		if err != nil {
			s.abandon(h)
			if r.err == nil {
				r.err = err
			}
			return
		}
		s.favourAll(h)
		s.backupGathered(h, h.leaves)
		if r.watch != nil && r.watch() {
			s.Stop()
		}
		if !r.alone {
			r.backedUp.Broadcast()
		}
	}
}

// yieldEvery is the number of evaluations after which a goroutine lets others run. Otherwise, with
// a search on every core, a goroutine that wants to stop the search would wait some ten
// milliseconds for the scheduler.
const yieldEvery = 256

// yield releases the tree and the processor for a moment.
func (r *parallel) yield() {
	r.mu.Unlock()
	defer r.mu.Lock()
	runtime.Gosched()
}

// evaluate lists the moves of the leaves of h, evaluates the leaves and packs them, and searches
// for the combinations handed to h. It releases the tree for that time if there are other
// goroutines.
func (r *parallel) evaluate(ctx context.Context, ev Evaluator, h *gatherer) error {
	if !r.alone {
		r.mu.Unlock()
		defer r.lock()
	}
	h.scoutAll()
	r.search.list(h, h.leaves)
	if err := ev.Evaluate(ctx, h.leaves); err != nil {
		return err
	}
	r.search.pack(h, h.leaves)
	return nil
}

// spins is how often a goroutine with a core of its own tests whether the tree is free before it
// sleeps: some 100 microseconds. Another goroutine holds the tree for some 20 microseconds, and to
// sleep and wake takes longer.
const spins = 10_000

// lock acquires the tree.
func (r *parallel) lock() {
	for range r.spins {
		if r.mu.TryLock() {
			return
		}
		for range 16 {
			pause.Load()
		}
	}
	r.mu.Lock()
}

// pause is read in a loop to pass a moment.
var pause atomic.Int32
