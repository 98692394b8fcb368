package egdb

import "sync/atomic"

// counter counts work and reports it.
type counter struct {
	report func(done, total int64) // may be nil
	done   atomic.Int64
	total  int64
}

func newCounter(report func(done, total int64), done, total int64) *counter {
	c := &counter{report: report, total: total}
	c.done.Store(done)
	return c
}

func (c *counter) add(n int64) {
	if done := c.done.Add(n); c.report != nil {
		c.report(done, c.total)
	}
}

func (c *counter) set(done int64) { c.add(done - c.done.Load()) }
