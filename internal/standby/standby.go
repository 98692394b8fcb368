// Package standby lets a goroutine wait for another one that will be ready in microseconds.
//
// To wake a goroutine that sleeps takes some five microseconds. So who waits looks for a short time
// before it sleeps, and lets other goroutines have the processor meanwhile.
package standby

import (
	"runtime"
	"sync/atomic"
)

// Waiter is a goroutine that waits for something that other goroutines bring about.
type Waiter struct {
	looks  int
	asleep atomic.Bool
	wake   chan struct{} // gets one value each time that another goroutine sets asleep to false
}

// New returns a Waiter that looks so many times whether it has to wait any longer before it sleeps.
// A thousand times take some five microseconds.
func New(looks int) *Waiter { return &Waiter{looks: looks, wake: make(chan struct{}, 1)} }

// looksAtOnce is the number of looks after which others may run: a third of a microsecond.
const looksAtOnce = 64

// Await returns when ready returns true. Whoever brings that about calls Rouse afterwards. Only one
// goroutine at a time may call it.
func (w *Waiter) Await(ready func() bool) {
	for i := 1; !ready(); i++ {
		switch {
		case i%w.looks == 0:
			// Whoever makes it ready before w is asleep does not wake it, so look again.
			w.asleep.Store(true)
			if ready() && w.asleep.CompareAndSwap(true, false) {
				return
			}
			<-w.wake
		case i%looksAtOnce == 0:
			runtime.Gosched()
		}
	}
}

// Rouse wakes the goroutine if it sleeps. It is cheap if it does not, for then it writes nothing.
func (w *Waiter) Rouse() {
	if w.asleep.Load() && w.asleep.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
	}
}
