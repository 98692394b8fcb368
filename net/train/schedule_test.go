package train

import (
	"sync/atomic"
	"testing"

	"damier/internal/simd"
)

// For any number of workers and blocks, every block runs every operation once and in order,
// finishes before the next block of its part, and finishes before the reductions.
func TestSchedule(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		for _, blocks := range []int{1, 3, 4, 5, 16} {
			w := newWorkers(workers)
			b := newBatch(w, simd.Generic, blocks)
			s := newSchedule(b)
			var passed, reduced atomic.Int64
			at := make([]atomic.Int64, b.parts) // [part] tasks done; a second worker would be seen
			const tasks = 5
			for i := range tasks {
				s.add(task{
					name: "task",
					pass: func(worker, part, block int) {
						first, _ := b.part(part)
						n := at[part].Load()
						if want := int64((block-first)*tasks + i); n != want {
							t.Errorf("%d workers, %d blocks: task %d of block %d is number %d of its part, want %d", workers, blocks, i, block, n, want)
						}
						if reduced.Load() != 0 {
							t.Errorf("a block passes with %d reductions done", reduced.Load())
						}
						if worker < 0 || worker >= workers {
							t.Errorf("worker %d of %d", worker, workers)
						}
						if !at[part].CompareAndSwap(n, n+1) {
							t.Error("two workers at one part")
						}
						passed.Add(1)
					},
					reduces: []func(){func() { reduced.Add(1) }},
				})
			}
			for range 3 {
				passed.Store(0)
				reduced.Store(0)
				for i := range at {
					at[i].Store(0)
				}
				s.run()
				if n := passed.Load(); n != int64(blocks*tasks) || reduced.Load() != tasks {
					t.Errorf("%d workers, %d blocks: %d tasks passed and %d reduced, want %d and %d", workers, blocks, n, reduced.Load(), blocks*tasks, tasks)
				}
			}
			w.close()
		}
	}
}
