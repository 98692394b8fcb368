// Package standby lets a goroutine wait for another one that will be ready in microseconds.
//
// A goroutine that sleeps takes long to wake, and whoever waits for it then sleeps too. So two
// goroutines that hand work to each other all the time may both sleep much of it. Who waits here
// looks for a while before it sleeps, and lets other goroutines have the processor meanwhile. Where
// other programs use the cores too, that takes some of the time of those that work.
package standby

import (
	"runtime"
	"sync/atomic"
)

// Waiter is a goroutine that waits for something that other goroutines bring about.
type Waiter struct {
	asleep atomic.Bool
	wake   chan struct{} // gets one value each time that another goroutine sets asleep to false
}

// New returns a Waiter.
func New() *Waiter { return &Waiter{wake: make(chan struct{}, 1)} }

// looks is the number of times that a goroutine looks whether it has to wait any longer before it
// sleeps, and looksAtOnce that before it lets others run: some 100 microseconds, and a third of one.
const looks, looksAtOnce = 1 << 15, 64

// Await returns when ready returns true. Whoever brings that about calls Rouse afterwards. Only one
// goroutine at a time may call it.
func (w *Waiter) Await(ready func() bool) {
	for i := 1; !ready(); i++ {
		switch {
		case i%looks == 0:
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
