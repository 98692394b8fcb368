package mcts

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// collisions is how often in a row a hand of a parallel search looks for another leaf than one in flight, before
// it waits for an evaluation.
const collisions = 8

// Quick is an evaluator that takes hardly longer over a leaf than the tree does. Where several of them search one tree,
// each would wait for the tree after every leaf, so each takes as many as Together at a time.
type Quick interface {
	Evaluator
	Together() int
}

// RunParallel searches until Done with several evaluators at once, each on a goroutine of its own and with up to
// batch leaves at a time, more if they are [Quick]. A simulation takes a microsecond or two of the tree, which one goroutine at a time
// holds, and an evaluation some hundred without it:
//
//	goroutine 1   gather |  evaluate  | back up, gather |  evaluate  | ...
//	goroutine 2          | gather |  evaluate  | back up, gather | ...
//
// No goroutine waits for another's evaluation, but for the tree, and where the Gumbel rule wants all values
// before it halves. The leaves in flight count as visits, and what is found depends on which evaluation ends
// first: two runs differ. With one evaluator it is Run, and they do not.
//
// After every evaluation, and after every [mostEnds] simulations that needed none, watch, which may be nil, is
// called with the tree held: it may ask for the Result, and the search stops when it reports true. The result and the errors are those of [Search.Run].
func (s *Search) RunParallel(ctx context.Context, evs []Evaluator, batch int, watch func() (enough bool)) (Result, error) {
	if len(evs) == 0 || s.flying > 0 {
		panic("mcts: RunParallel without an evaluator, or before Backup")
	}
	if len(s.hands) < len(evs) {
		s.hands = append(s.hands, make([]hand, len(evs)-len(s.hands))...)
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
		r.work(ctx, evs[0], &s.hands[0])
	} else {
		r.collisions = max(collisions, r.batch/2)
		if len(evs) <= runtime.GOMAXPROCS(0) {
			r.spins = spins
		}
		var others sync.WaitGroup
		for i, ev := range evs[1:] {
			others.Go(func() { r.work(ctx, ev, &s.hands[i+1]) })
		}
		r.work(ctx, evs[0], &s.hands[0])
		others.Wait()
	}
	return s.Result(), r.err
}

// parallel is one run of a search on several goroutines.
type parallel struct {
	batch, collisions int
	spins             int
	under             int16
	alone             bool // one goroutine, which holds the tree all the time
	watch             func() bool

	mu       sync.Mutex // holds the tree
	search   *Search
	err      error     // the first
	backedUp sync.Cond // or given up
}

// work gathers, evaluates and backs up until the search is done.
func (r *parallel) work(ctx context.Context, ev Evaluator, h *hand) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.backedUp.Broadcast() // whatever ended this goroutine may end the others
	s, looks := r.search, 0
	for r.err == nil && !s.Done() {
		if r.err = ctx.Err(); r.err != nil {
			return
		}
		h.leaves = s.gather(h, h.leaves[:0], r.batch, r.collisions, r.under)
		if len(h.leaves) == 0 {
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
		s.backupHand(h, h.leaves)
		if r.watch != nil && r.watch() {
			s.Stop()
		}
		if !r.alone {
			r.backedUp.Broadcast()
		}
	}
}

// yieldEvery is how many evaluations a goroutine of a search makes before it lets others run: where all cores search, who
// wants to stop the search would else wait for the scheduler, some ten milliseconds.
const yieldEvery = 256

// yield lets go of the tree and of the processor for a moment.
func (r *parallel) yield() {
	r.mu.Unlock()
	defer r.mu.Lock()
	runtime.Gosched()
}

// evaluate has the leaves of h given their moves, evaluated and packed. It lets go of the tree for that time, if others wait for it.
func (r *parallel) evaluate(ctx context.Context, ev Evaluator, h *hand) error {
	if !r.alone {
		r.mu.Unlock()
		defer r.lock()
	}
	r.search.list(h, h.leaves)
	if err := ev.Evaluate(ctx, h.leaves); err != nil {
		return err
	}
	r.search.pack(h, h.leaves)
	return nil
}

// spins is how often a goroutine that has a core of its own looks whether the tree is free before it sleeps: some 100
// microseconds. Another holds the tree for some 20, and to sleep and be woken takes longer than that.
const spins = 10_000

// lock takes the tree.
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

// pause is read to let a moment pass.
var pause atomic.Int32
