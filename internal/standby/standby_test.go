package standby

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestTurns: two goroutines that wait for each other in turn never miss a call, whether they sleep
// before it or not.
func TestTurns(t *testing.T) {
	for _, looks := range []int{1, 2, 100, 1 << 20} {
		var turn atomic.Int64
		const turns = 2000
		waiters := [2]*Waiter{New(looks), New(looks)}
		play := func(i int64) {
			for n := i; n < turns; n += 2 {
				waiters[i].Await(func() bool { return turn.Load() == n })
				turn.Store(n + 1)
				waiters[1-i].Rouse()
			}
		}
		done := make(chan bool)
		go func() { play(1); close(done) }()
		play(0)
		<-done
		if turn.Load() != turns {
			t.Errorf("%d looks: %d turns", looks, turn.Load())
		}
	}
}

// TestSleeps: who waits long sleeps, and is woken.
func TestSleeps(t *testing.T) {
	w, ready, done := New(8), atomic.Bool{}, make(chan bool)
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
