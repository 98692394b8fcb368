package train

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Every piece is done once and by one worker at a time, before run returns, whether the helpers are
// looking for work or asleep; with and without pieces; and after close no goroutine works.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 8} {
		w := newWorkers(n)
		done := make([]int, 40)   // no atomics: the race detector would see a second worker
		working := make([]int, n) // [worker]
		for round := range 3000 {
			count := rng.IntN(len(done) + 1)
			clear(done)
			w.run(count, func(worker, i int) {
				working[worker]++
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
