package standby

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestTurns: two goroutines that wait for each other in turn never miss a call, whether they sleep
// before it or not.
func TestTurns(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Microsecond, time.Millisecond} { // one millisecond: they sleep
		turns := int64(20_000)
		if pause > 0 {
			turns = 300
		}
		var turn atomic.Int64
		waiters := [2]*Waiter{New(), New()}
		play := func(i int64) {
			for n := i; n < turns; n += 2 {
				waiters[i].Await(func() bool { return turn.Load() == n })
				time.Sleep(pause)
				turn.Store(n + 1)
				waiters[1-i].Rouse()
			}
		}
		done := make(chan bool)
		go func() { play(1); close(done) }()
		play(0)
		<-done
		if turn.Load() != turns {
			t.Errorf("pause %s: %d turns", pause, turn.Load())
		}
	}
}

// TestSleeps: who waits long sleeps, and is woken.
func TestSleeps(t *testing.T) {
	w, ready, done := New(), atomic.Bool{}, make(chan bool)
	go func() { w.Await(ready.Load); close(done) }()
	for !w.asleep.Load() {
		time.Sleep(time.Millisecond)
	}
	ready.Store(true)
	w.Rouse()
	<-done
	if w.asleep.Load() {
		t.Error("still asleep")
	}
	w.Rouse() // nobody sleeps: must not block
	w.Rouse()
}
