package train

import (
	"runtime"
	"sync/atomic"
)

// workers divides numbered pieces of work among goroutines, which live until close. Only one
// goroutine at a time may call run.
//
// A step of the solver takes some 50 microseconds and calls run four times, and to wake a goroutine
// takes five. So a helper without work looks for more for a short time before it sleeps, and lets
// other goroutines have the processor meanwhile.
type workers struct {
	helpers []*helper // the goroutine that calls run is worker 0

	// The present run. do is only read by a worker that has taken a piece.
	do     func(worker, i int)
	shares []share      // [worker]
	active atomic.Int64 // helpers that are taking a piece, or work on one
	closed atomic.Bool
}

// share is the pieces that a worker takes first; then it takes those of the others. So a worker has
// the same pieces in every run, and their memory stays in the cache of its core.
type share struct {
	left atomic.Uint64 // end of the pieces in the upper half, the next one in the lower one
	_    [120]byte     // keeps shares out of each other's cache lines
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

// helper is one goroutine.
type helper struct {
	asleep atomic.Bool
	wake   chan struct{} // gets one value for each time that asleep is set to false by another
}

// looks is the number of times that a helper looks for work before it sleeps, and looksAtOnce that
// before it lets other goroutines run: some 30 microseconds, and a tenth of one.
const looks, looksAtOnce = 6400, 64

// newWorkers returns n workers: n-1 goroutines and the caller of run.
func newWorkers(n int) *workers {
	w := &workers{shares: make([]share, n)}
	for i := 1; i < n; i++ {
		h := &helper{wake: make(chan struct{}, 1)}
		w.helpers = append(w.helpers, h)
		go func() {
			for w.await(h) {
				w.active.Add(1)
				w.work(i)
				w.active.Add(-1)
			}
		}()
	}
	return w
}

// size returns the number of workers.
func (w *workers) size() int { return len(w.helpers) + 1 }

// run calls do(worker, i) once for each i in [0, count), and returns when all calls have returned.
// A worker makes one call at a time, so data indexed by worker is not shared. run does not
// allocate.
func (w *workers) run(count int, do func(worker, i int)) {
	w.do = do
	n := w.size()
	for i := range w.shares {
		first, end := (i*count+n-1)/n, ((i+1)*count+n-1)/n
		w.shares[i].left.Store(uint64(end)<<32 | uint64(first))
	}
	for _, h := range w.helpers[:max(min(len(w.helpers), count-1), 0)] {
		h.rouse()
	}
	w.work(0)
	for i := 1; w.active.Load() != 0; i++ {
		if i%looksAtOnce == 0 {
			runtime.Gosched()
		}
	}
}

// open reports whether there is a piece that nobody has taken.
func (w *workers) open() bool {
	for i := range w.shares {
		left := w.shares[i].left.Load()
		if uint32(left) < uint32(left>>32) {
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

// await returns true when there may be a piece to take, and false after close.
func (w *workers) await(h *helper) bool {
	for i := 1; !w.closed.Load(); i++ {
		switch {
		case w.open():
			return true
		case i%looks == 0:
			// Whoever has changed the state before h is asleep does not wake it, so look again.
			h.asleep.Store(true)
			if (w.open() || w.closed.Load()) && h.asleep.CompareAndSwap(true, false) {
				continue
			}
			<-h.wake
		case i%looksAtOnce == 0:
			runtime.Gosched()
		}
	}
	return false
}

// rouse wakes the helper if it sleeps.
func (h *helper) rouse() {
	if h.asleep.CompareAndSwap(true, false) {
		h.wake <- struct{}{}
	}
}

// close ends the goroutines.
func (w *workers) close() {
	w.closed.Store(true)
	for _, h := range w.helpers {
		h.rouse()
	}
	w.helpers = nil
}
