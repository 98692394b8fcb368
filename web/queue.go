package web

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errBusy is returned when the queue of searches is full.
var errBusy = errors.New("too many searches are waiting; try again in a moment")

// job is a search that waits for a worker.
type job struct {
	ctx        context.Context // of its board: done when nobody wants the answer any more
	background bool            // an analysis: it gives way to moves, and is taken up again later
	run        func(ctx context.Context, w *worker)
}

// queue is the one queue of searches: moves first, each kind in the order of arrival.
type queue struct {
	mu      sync.Mutex
	work    *sync.Cond
	waiting []*job
	cap     int
	idle    int                              // workers that wait
	running map[*job]context.CancelCauseFunc // background jobs being served
	closed  bool
	done    sync.WaitGroup
}

// errGiveWay is the cause of the end of a background job that has to let a move pass.
var errGiveWay = errors.New("gives way")

// newQueue returns a queue of at most cap waiting jobs, served by these workers until close.
func newQueue(cap int, workers []*worker) *queue {
	q := &queue{cap: cap, running: map[*job]context.CancelCauseFunc{}}
	q.work = sync.NewCond(&q.mu)
	for _, w := range workers {
		q.done.Go(func() { q.serve(w) })
	}
	return q
}

// add puts a job at the end of its kind; errBusy if the queue is full.
func (q *queue) add(j *job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(j *job) bool { return j.ctx.Err() != nil })
	if q.closed || len(q.waiting) >= q.cap {
		return errBusy
	}
	q.put(j)
	if !j.background && q.idle == 0 {
		for _, giveWay := range q.running {
			giveWay(errGiveWay)
			break
		}
	}
	q.work.Signal()
	return nil
}

// put inserts a job at the end of its kind. The lock is held.
func (q *queue) put(j *job) {
	at := len(q.waiting)
	if !j.background {
		at = 0
		for at < len(q.waiting) && !q.waiting[at].background {
			at++
		}
	}
	q.waiting = slices.Insert(q.waiting, at, j)
}

// serve is the loop of a worker.
func (q *queue) serve(w *worker) {
	for {
		j, ctx, cancel := q.next()
		if j == nil {
			return
		}
		j.run(ctx, w)
		gaveWay := errors.Is(context.Cause(ctx), errGiveWay)
		cancel(nil)
		q.mu.Lock()
		delete(q.running, j)
		if gaveWay && j.ctx.Err() == nil && !q.closed {
			q.put(j) // it was counted before: the cap does not apply
			q.work.Signal()
		}
		q.mu.Unlock()
	}
}

// next waits for a job whose board still wants it; nil after close.
func (q *queue) next() (*job, context.Context, context.CancelCauseFunc) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.waiting) > 0 && !q.closed {
			j := q.waiting[0]
			q.waiting = slices.Delete(q.waiting, 0, 1)
			if j.ctx.Err() != nil {
				continue
			}
			ctx, cancel := context.WithCancelCause(j.ctx)
			if j.background {
				q.running[j] = cancel
			}
			return j, ctx, cancel
		}
		if q.closed {
			return nil, nil, nil
		}
		q.idle++
		q.work.Wait()
		q.idle--
	}
}

// close drops what waits and returns when the workers have ended. The boards' contexts must be done, or it takes as long
// as the searches.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.waiting = nil
	q.work.Broadcast()
	q.mu.Unlock()
	q.done.Wait()
}
