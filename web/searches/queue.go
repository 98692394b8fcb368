package searches

import (
	"context"
	"errors"
	"slices"
	"sync"

	"damier/rules"
)

// ErrBusy is returned when the queue is full or closed.
var ErrBusy error = rules.Messagef("too many searches are waiting; try again in a moment")

// Job is a search that waits for a worker.
type Job struct {
	Context    context.Context // of its board: done when the answer is no longer wanted
	Background bool            // a search for a move may interrupt it; it then runs again
	Run        func(ctx context.Context, w *Worker)
}

// Queue holds the waiting searches: those for a move first, then background jobs, each kind in the
// order of arrival.
type Queue struct {
	mu      sync.Mutex
	work    *sync.Cond
	waiting []*Job
	cap     int
	idle    int                              // workers without a job
	running map[*Job]context.CancelCauseFunc // background jobs being run
	closed  bool
	done    sync.WaitGroup
}

// ErrGiveWay is the cancellation cause of a background job that a search for a move interrupts.
var ErrGiveWay = errors.New("gives way")

// New returns a queue of at most cap waiting jobs. The workers run them until Close.
func New(cap int, workers []*Worker) *Queue {
	q := &Queue{cap: cap, running: map[*Job]context.CancelCauseFunc{}}
	q.work = sync.NewCond(&q.mu)
	for _, w := range workers {
		q.done.Go(func() { q.serve(w) })
	}
	return q
}

// Add inserts a job behind the others of its kind. It returns ErrBusy if the queue is full. If no
// worker is idle, a job that is not in the background interrupts one that is.
func (q *Queue) Add(j *Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(j *Job) bool { return j.Context.Err() != nil })
	if q.closed || len(q.waiting) >= q.cap {
		return ErrBusy
	}
	q.put(j)
	if !j.Background && q.idle == 0 {
		for _, giveWay := range q.running {
			giveWay(ErrGiveWay)
			break
		}
	}
	q.work.Signal()
	return nil
}

// put inserts a job behind the others of its kind. The caller holds the lock.
func (q *Queue) put(j *Job) {
	at := len(q.waiting)
	if !j.Background {
		at = 0
		for at < len(q.waiting) && !q.waiting[at].Background {
			at++
		}
	}
	q.waiting = slices.Insert(q.waiting, at, j)
}

// serve runs jobs on w until Close.
func (q *Queue) serve(w *Worker) {
	for {
		j, ctx, cancel := q.next()
		if j == nil {
			return
		}
		j.Run(ctx, w)
		gaveWay := errors.Is(context.Cause(ctx), ErrGiveWay)
		cancel(nil)
		q.mu.Lock()
		delete(q.running, j)
		if gaveWay && j.Context.Err() == nil && !q.closed {
			q.put(j) // it was admitted before, so the cap does not apply
			q.work.Signal()
		}
		q.mu.Unlock()
	}
}

// next waits for a job whose context is not done, and returns it; nil after Close.
func (q *Queue) next() (*Job, context.Context, context.CancelCauseFunc) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.waiting) > 0 && !q.closed {
			j := q.waiting[0]
			q.waiting = slices.Delete(q.waiting, 0, 1)
			if j.Context.Err() != nil {
				continue
			}
			ctx, cancel := context.WithCancelCause(j.Context)
			if j.Background {
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

// Close drops the waiting jobs and returns when the workers have ended. It does not interrupt
// running jobs: unless their contexts are done, it waits for them.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.waiting = nil
	q.work.Broadcast()
	q.mu.Unlock()
	q.done.Wait()
}
