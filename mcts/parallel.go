package mcts

import (
	"context"
	"runtime"
)

// RunParallel searches until Done with several evaluators at once. The calling goroutine holds the
// tree all the time, so that its memory stays in the cache of one core. Each evaluator but the first
// has a helper, a goroutine that evaluates leaves. The caller hands out leaves and backs up what
// comes back; when the helpers have enough, it evaluates leaves itself:
//
//	caller    gather | gather | one leaf | one leaf | back up, gather | one leaf | ...
//	helper             evaluate                     | evaluate                   | ...
//
// The caller cannot feed more than some two helpers, so there are at most three, and the evaluators
// that are left do nothing. The leaves that are with helpers count as visits. The result depends on
// which evaluation ends first, so two runs differ. With one evaluator RunParallel is Run, and two runs
// are equal.
//
// RunParallel calls watch, if not nil, after every evaluation, and after every [mostEnds]
// simulations that needed none, from the calling goroutine, so watch may call Result. The search
// stops when watch returns true. The result and the errors are those of [Search.Run].
func (s *Search) RunParallel(ctx context.Context, evs []Evaluator, batch int, watch func() (enough bool)) (Result, error) {
	if len(evs) == 0 || s.flying > 0 {
		panic("mcts: RunParallel without an evaluator, or during a search")
	}
	s.crew.hire(ctx, s, evs[1:min(len(evs), 1+mostHelpers)])
	err := s.lead(ctx, evs[0], batch, watch)
	for s.crew.busy() {
		if e := s.takeBack(s.crew.await()); err == nil {
			err = e
		}
	}
	s.crew.dismiss()
	return s.Result(), err
}

// Of a parallel search with helpers.
const (
	mostHelpers = 3
	together    = 6 // leaves that a helper gets at a time, some 10 microseconds of work
	collisions  = 8 // how often in a row a simulation may meet a leaf that is in flight, until an evaluation is waited for
)

// yieldEvery is the number of evaluations after which a search lets other goroutines run. Otherwise,
// with a search on every core, a goroutine that wants to stop the search would wait some ten
// milliseconds for the scheduler.
const yieldEvery = 256

// lead searches until Done, with up to most leaves at a time if there are no helpers. Batches may be
// with helpers when it returns.
func (s *Search) lead(ctx context.Context, ev Evaluator, most int, watch func() bool) error {
	helped, under, collided := len(s.crew.helpers) > 0, int16(1), most/2
	switch {
	case helped:
		most, collided = 1, collisions
	case most <= 1:
		most, under = 1, 0
	}
	s.desk.evaluator = ev
	for turns := 1; !s.Done(); turns++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if turns%yieldEvery == 0 {
			runtime.Gosched()
		}
		var b *batch
		if helped {
			if b = s.crew.answered(); b == nil && s.feed() {
				continue
			}
		}
		if b == nil {
			if s.gather(&s.own, most, collided, under); len(s.own.flight) > 0 {
				b = &s.own
				s.desk.evaluate(ctx, b)
			} else if helped && s.crew.busy() {
				b = s.crew.await()
			}
		}
		if b != nil {
			if err := s.takeBack(b); err != nil {
				return err
			}
		}
		if watch != nil && watch() {
			s.Stop()
		}
	}
	return nil
}

// feed gives leaves to a helper that has too few. It reports whether it has done so.
func (s *Search) feed() bool {
	h := s.crew.free()
	if h == nil || s.nodes[rootID].state != expanded {
		return false
	}
	b := h.next()
	if s.gather(b, together, collisions, 1); len(b.flight)+len(b.scoutings) == 0 {
		return false
	}
	h.give()
	return true
}

// takeBack backs up the leaves of b. If they could not be evaluated it drops them and returns the
// error.
func (s *Search) takeBack(b *batch) error {
	if b.err != nil {
		s.abandon(b)
		return b.err
	}
	s.favourAll(b)
	if b.counted {
		s.backup(b)
	} else {
		s.plant(b, &s.desk.leaves[0])
	}
	return nil
}
