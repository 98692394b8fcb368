package mcts

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"damier/internal/standby"
)

// crew is the helpers of a parallel search. Only the goroutine that holds the tree uses it.
type crew struct {
	helpers []*helper // of the present run
	all     []*helper // of this and earlier runs, whose memory is used again
	ended   sync.WaitGroup
	caller  *standby.Waiter
	ready   func() bool // what the caller waits for
}

// helper is a goroutine that evaluates the batches it is given, one after another.
type helper struct {
	desk

	_         [128]byte
	batches   [3]batch // used in turn: while it evaluates one, the next are made ready
	out, back uint64   // how many batches it was given, and how many were taken back

	given  counter // out, for the helper
	done   counter // how many the helper has evaluated
	closed atomic.Bool
	waiter *standby.Waiter
	called func() bool // what the helper waits for
}

// counter is a number that one goroutine writes and another reads, on a line of the cache of its
// own.
type counter struct {
	_ [120]byte
	atomic.Uint64
	_ [120]byte
}

// hire starts a helper for each evaluator.
func (c *crew) hire(ctx context.Context, s *Search, evs []Evaluator) {
	if len(evs) > 0 && c.caller == nil {
		c.caller = standby.New()
		c.ready = func() bool {
			return slices.ContainsFunc(c.helpers, func(h *helper) bool { return h.done.Load() > h.back })
		}
	}
	for len(c.all) < len(evs) {
		h := &helper{desk: desk{variant: s.variant}, waiter: standby.New()}
		h.called = func() bool { return h.given.Load() > h.done.Load() || h.closed.Load() }
		for i := range h.batches {
			h.batches[i].helper = true
		}
		if s.combinations != nil {
			h.scout = newCombinations(s.variant)
		}
		c.all = append(c.all, h)
	}
	c.helpers = c.all[:len(evs)]
	for i, h := range c.helpers {
		h.evaluator = evs[i]
		h.closed.Store(false)
		c.ended.Go(func() { h.work(ctx, c.caller) })
	}
}

// dismiss ends the helpers, who have nothing to do.
func (c *crew) dismiss() {
	for _, h := range c.helpers {
		h.closed.Store(true)
		h.waiter.Rouse()
	}
	c.ended.Wait()
	c.helpers = nil
}

// work evaluates batches until the helper is closed, and rouses the caller after each.
func (h *helper) work(ctx context.Context, caller *standby.Waiter) {
	for {
		h.waiter.Await(h.called)
		n := h.done.Load()
		if n == h.given.Load() {
			return
		}
		h.evaluate(ctx, &h.batches[n%uint64(len(h.batches))])
		h.done.Store(n + 1)
		caller.Rouse()
	}
}

// next returns the batch to be given next.
func (h *helper) next() *batch { return &h.batches[h.out%uint64(len(h.batches))] }

// give gives the helper its next batch.
func (h *helper) give() {
	h.out++
	h.given.Store(h.out)
	h.waiter.Rouse()
}

// free returns the helper that has the fewest batches, nil if all have as many as they can.
func (c *crew) free() *helper {
	var free *helper
	least := uint64(len(helper{}.batches))
	for _, h := range c.helpers {
		if n := h.out - h.back; n < least {
			free, least = h, n
		}
	}
	return free
}

// busy reports whether a batch is with a helper.
func (c *crew) busy() bool {
	for _, h := range c.helpers {
		if h.out > h.back {
			return true
		}
	}
	return false
}

// answered returns a batch that its helper has evaluated, and takes it back; nil if there is none.
func (c *crew) answered() *batch {
	for _, h := range c.helpers {
		if h.done.Load() > h.back {
			h.back++
			return &h.batches[(h.back-1)%uint64(len(h.batches))]
		}
	}
	return nil
}

// await is answered, but waits for a batch. One is with a helper.
func (c *crew) await() *batch {
	for {
		if b := c.answered(); b != nil {
			return b
		}
		c.caller.Await(c.ready)
	}
}
