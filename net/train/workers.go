package train

import (
	"sync/atomic"

	"damier/internal/standby"
)

// workers divides numbered pieces of work among goroutines, which live until close. Only one
// goroutine at a time may call run.
//
// A step of the solver takes some 50 microseconds and calls run four times, so a worker that waits
// looks for a while before it sleeps.
type workers struct {
	waiters []*standby.Waiter // [worker]; the goroutine that calls run is worker 0, the others are helpers

	// The present run. do is only read by a worker that has taken a piece.
	do     func(worker, i int)
	shares []share      // [worker]
	active atomic.Int64 // helpers that are taking a piece, or work on one
	closed atomic.Bool

	called, idle func() bool // what a helper and the caller of run wait for
}

// share is the pieces that a worker takes first; then it takes those of the others. So a worker has
// the same pieces in every run, and their memory stays in the cache of its core.
type share struct {
	left atomic.Uint64 // end of the pieces in the upper half, the next one in the lower one
	_    [120]byte     // keeps shares out of each other's cache lines
}

// set makes the pieces [first, end) those of the share.
func (s *share) set(first, end int) { s.left.Store(uint64(end)<<32 | uint64(first)) }

// empty reports whether all pieces are taken.
func (s *share) empty() bool {
	left := s.left.Load()
	return uint32(left) >= uint32(left>>32)
}

// take returns a piece of the share that nobody has taken, and false if there is none.
func (s *share) take() (piece int, ok bool) {
	for {
		left := s.left.Load()
		next, end := uint32(left), uint32(left>>32)
		if next >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left+1) {
			return int(next), true
		}
	}
}

// newWorkers returns n workers: n-1 goroutines and the caller of run.
func newWorkers(n int) *workers {
	w := &workers{shares: make([]share, n)}
	for range n {
		w.waiters = append(w.waiters, standby.New())
	}
	w.idle = func() bool { return w.active.Load() == 0 }
	w.called = func() bool { return w.open() || w.closed.Load() }
	for i := 1; i < n; i++ {
		go w.help(i)
	}
	return w
}

// help works until close.
func (w *workers) help(worker int) {
	for {
		w.waiters[worker].Await(w.called)
		if w.closed.Load() {
			return
		}
		w.active.Add(1)
		w.work(worker)
		if w.active.Add(-1) == 0 {
			w.waiters[0].Rouse()
		}
	}
}

// size returns the number of workers.
func (w *workers) size() int { return len(w.shares) }

// run calls do(worker, i) once for each i in [0, count), and returns when all calls have returned.
// A worker makes one call at a time, so data indexed by worker is not shared. run does not
// allocate.
func (w *workers) run(count int, do func(worker, i int)) {
	w.do = do
	n := w.size()
	for i := range w.shares {
		w.shares[i].set((i*count+n-1)/n, ((i+1)*count+n-1)/n)
	}
	for _, helper := range w.waiters[1:max(min(n, count), 1)] {
		helper.Rouse()
	}
	w.work(0)
	w.waiters[0].Await(w.idle)
}

// open reports whether there is a piece that nobody has taken.
func (w *workers) open() bool {
	for i := range w.shares {
		if !w.shares[i].empty() {
			return true
		}
	}
	return false
}

// work takes pieces and does them until all are taken.
func (w *workers) work(worker int) {
	for i := range w.shares {
		s := &w.shares[(worker+i)%len(w.shares)]
		for piece, ok := s.take(); ok; piece, ok = s.take() {
			w.do(worker, piece)
		}
	}
}

// close ends the goroutines.
func (w *workers) close() {
	w.closed.Store(true)
	for _, helper := range w.waiters[1:] {
		helper.Rouse()
	}
}
