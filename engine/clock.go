package engine

import (
	"context"
	"time"

	"damier/mcts"
)

// sampler limits the look-ups of the clock to one in some 50 microseconds, because a look-up takes
// a twentieth of a fast visit.
type sampler struct {
	last         time.Time // the last look-up
	every, calls int
}

// due looks up the time if enough calls have passed. If it returns true, s.last is the present
// time.
func (s *sampler) due() bool {
	if s.calls++; s.calls < s.every {
		return false
	}
	now := time.Now()
	switch passed := now.Sub(s.last); {
	case passed < 25*time.Microsecond:
		s.every = min(2*max(s.every, 1), 64)
	case passed > 100*time.Microsecond:
		s.every /= 2
	}
	s.last = now
	s.calls = 0
	return true
}

// stopWhen stops the search when ctx is done or, if limit is not zero, when the limit is over. The
// caller must call disarm after the search and before the next one.
func stopWhen(ctx context.Context, began time.Time, limit time.Duration, s *mcts.Search) (disarm func()) {
	cancel := func() {}
	if limit > 0 {
		ctx, cancel = context.WithDeadline(ctx, began.Add(limit))
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.Stop()
		close(fired)
	})
	return func() {
		if !stop() {
			<-fired // otherwise it could stop the next search
		}
		cancel()
	}
}
