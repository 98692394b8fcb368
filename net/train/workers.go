package train

import (
	"sync"
	"sync/atomic"
)

// workers divides numbered pieces of work among goroutines, which live until close. Only one
// goroutine at a time may call run.
type workers struct {
	helpers []chan struct{} // one for each helper; the goroutine that calls run is worker 0
	wait    sync.WaitGroup

	// Of the present run.
	do    func(worker, i int)
	count int64
	next  atomic.Int64
}

// newWorkers returns n workers: n-1 goroutines and the caller of run.
func newWorkers(n int) *workers {
	w := &workers{}
	for i := 1; i < n; i++ {
		start := make(chan struct{})
		w.helpers = append(w.helpers, start)
		go func() {
			for range start {
				w.work(i)
				w.wait.Done()
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
	w.do, w.count = do, int64(count)
	w.next.Store(0)
	helpers := w.helpers[:max(min(len(w.helpers), count-1), 0)]
	w.wait.Add(len(helpers))
	for _, start := range helpers {
		start <- struct{}{}
	}
	w.work(0)
	w.wait.Wait()
	w.do = nil
}

func (w *workers) work(worker int) {
	for {
		i := w.next.Add(1) - 1
		if i >= w.count {
			return
		}
		w.do(worker, int(i))
	}
}

// close ends the goroutines.
func (w *workers) close() {
	for _, start := range w.helpers {
		close(start)
	}
	w.helpers = nil
}
