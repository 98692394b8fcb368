package train

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// Every piece is done once and by one worker at a time, before run returns, whether the helpers are
// looking for work or asleep; with and without pieces; and close ends the goroutines.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	before := runtime.NumGoroutine()
	for _, n := range []int{1, 2, 3, 8} {
		w := newWorkers(n)
		done := make([]int, 40)   // no atomics: the race detector would see a second worker
		working := make([]int, n) // [worker]
		for round := range 3000 {
			count := rng.IntN(len(done) + 1)
			clear(done)
			w.run(count, func(worker, i int) {
				if working[worker]++; working[worker] != 1 {
					t.Errorf("%d workers: worker %d works on %d pieces at once", n, worker, working[worker])
				}
				done[i]++
				working[worker]--
			})
			for i, times := range done {
				if want := min(max(count-i, 0), 1); times != want {
					t.Fatalf("%d workers, round %d: piece %d of %d was done %d times", n, round, i, count, times)
				}
			}
			if round%500 == 0 {
				time.Sleep(2 * time.Millisecond) // the helpers sleep
			}
		}
		w.close()
		for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
			if time.Sleep(time.Millisecond); time.Now().After(end) {
				t.Fatalf("%d workers: %d goroutines after close, %d before", n, runtime.NumGoroutine(), before)
			}
		}
	}
}

// BenchmarkWorkers is what a run costs whose pieces take no time.
func BenchmarkWorkers(b *testing.B) {
	w := newWorkers(2)
	defer w.close()
	b.ReportAllocs()
	for b.Loop() {
		w.run(2, func(int, int) {})
	}
}
