package egdb

import "sync/atomic"

// counter counts work and tells it.
type counter struct {
	tell  func(done, total int64) // may be nil
	done  atomic.Int64
	total int64
}

func newCounter(tell func(done, total int64), done, total int64) *counter {
	c := &counter{tell: tell, total: total}
	c.done.Store(done)
	return c
}

func (c *counter) add(n int64) {
	if done := c.done.Add(n); c.tell != nil {
		c.tell(done, c.total)
	}
}

func (c *counter) set(done int64) { c.add(done - c.done.Load()) }
