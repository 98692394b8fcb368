package player

import (
	"context"
	"errors"
	"sync"

	"damier/mcts"
)

// ErrClosed is returned by [Batcher.Evaluate] after Close.
var ErrClosed = errors.New("player: the batcher is closed")

// Batcher is an mcts.Evaluator for many searches at once. It gathers the leaves of those that run
// concurrently into blocks, and evaluates them with evaluators of its own, each on a goroutine. A block is
// evaluated as soon as it is full, or when every search that is thinking waits.
//
// Begin and End tell it how many are thinking: a [Network] calls them for its move. All methods may be
// called from any goroutine.
type Batcher struct {
	block int

	mu       sync.Mutex
	ready    sync.Cond
	queue    []*request
	queued   int // leaves in the queue
	thinking int // searches between Begin and End
	waiting  int // of these, in Evaluate: queued or being evaluated
	closed   bool
	stats    BatcherStats

	workers sync.WaitGroup
}

// BatcherStats counts what a Batcher has done.
type BatcherStats struct {
	Batches int64 // calls of its evaluators
	Leaves  int64 // positions evaluated
}

// request is the leaves of one search.
type request struct {
	leaves []mcts.Leaf
	done   chan error
}

// NewBatcher returns a Batcher with these evaluators, which it owns from then on, at least one, and blocks of
// that many leaves, at least 1. Close it in the end.
func NewBatcher(evaluators []mcts.Evaluator, block int) *Batcher {
	if len(evaluators) == 0 || block < 1 {
		panic("player: a batcher needs an evaluator and a block")
	}
	b := &Batcher{block: block}
	b.ready.L = &b.mu
	for _, e := range evaluators {
		b.workers.Go(func() { b.work(e) })
	}
	return b
}

// Begin tells that a search is going to call Evaluate, again and again, until End.
func (b *Batcher) Begin() {
	b.mu.Lock()
	b.thinking++
	b.mu.Unlock()
}

// End tells that a search which called Begin has ended.
func (b *Batcher) End() {
	b.mu.Lock()
	b.thinking--
	b.mu.Unlock()
	b.ready.Signal() // perhaps all others wait
}

// Evaluate evaluates the leaves, together with those of other searches. Each search is one caller at a
// time. When ctx is done before the leaves are queued its error is returned; later they are waited for.
func (b *Batcher) Evaluate(ctx context.Context, leaves []mcts.Leaf) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(leaves) == 0 {
		return nil
	}
	r := &request{leaves: leaves, done: make(chan error, 1)}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	b.queue = append(b.queue, r)
	b.queued += len(leaves)
	b.waiting++
	b.mu.Unlock()
	b.ready.Signal()
	return <-r.done
}

// Stats returns what was done so far.
func (b *Batcher) Stats() BatcherStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// Close waits for what is being evaluated, answers what is queued with ErrClosed and ends the goroutines. A
// second Close does nothing.
func (b *Batcher) Close() error {
	b.mu.Lock()
	b.closed = true
	for _, r := range b.queue {
		r.done <- ErrClosed
	}
	b.waiting -= len(b.queue)
	b.queue, b.queued = nil, 0
	b.mu.Unlock()
	b.ready.Broadcast()
	b.workers.Wait()
	return nil
}

// work evaluates blocks until the Batcher is closed.
func (b *Batcher) work(e mcts.Evaluator) {
	var requests []*request
	var leaves []mcts.Leaf
	for {
		requests = b.take(requests[:0])
		if len(requests) == 0 {
			return
		}
		leaves = leaves[:0]
		for _, r := range requests {
			leaves = append(leaves, r.leaves...)
		}
		err := e.Evaluate(context.Background(), leaves)
		next := leaves
		for _, r := range requests {
			// The priors are the search's own memory already; the values were written to our copies.
			for i := range r.leaves {
				r.leaves[i].Value = next[i].Value
			}
			next = next[len(r.leaves):]
		}
		b.mu.Lock()
		b.waiting -= len(requests)
		b.stats.Batches++
		b.stats.Leaves += int64(len(leaves))
		b.mu.Unlock()
		for _, r := range requests {
			r.done <- err
		}
		clear(leaves)
		clear(requests)
	}
}

// take waits for a block and returns its requests; none when the Batcher is closed.
func (b *Batcher) take(dst []*request) []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && !(b.queued >= b.block || b.queued > 0 && b.waiting >= b.thinking) {
		b.ready.Wait()
	}
	if b.closed {
		return dst
	}
	n := 0
	for len(b.queue) > 0 && (n == 0 || n+len(b.queue[0].leaves) <= b.block) {
		n += len(b.queue[0].leaves)
		dst = append(dst, b.queue[0])
		b.queue = b.queue[1:]
	}
	b.queued -= n
	if b.queued > 0 {
		b.ready.Signal() // there may be enough for another evaluator
	}
	return dst
}
