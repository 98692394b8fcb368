package train

import (
	"sync/atomic"
	"testing"

	"damier/internal/simd"
)

// For any number of workers and parts, every part runs every operation once and in order, with one
// worker at a time, before the reductions.
func TestSchedule(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		for _, parts := range []int{1, 3, 4, 5, 16} {
			w := newWorkers(workers)
			s := newSchedule(&batch{workers: w, level: simd.Generic, parts: parts})
			var passed, reduced atomic.Int64
			at := make([]atomic.Int64, parts) // [part] tasks done; a second worker would be seen
			const tasks = 5
			for i := range tasks {
				s.add(task{
					name: "task",
					pass: func(part int) {
						n := at[part].Load()
						if n != int64(i) {
							t.Errorf("%d workers, %d parts: task %d of part %d comes after %d others", workers, parts, i, part, n)
						}
						if reduced.Load() != 0 {
							t.Errorf("a part passes with %d reductions done", reduced.Load())
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
				if n := passed.Load(); n != int64(parts*tasks) || reduced.Load() != tasks {
					t.Errorf("%d workers, %d parts: %d tasks passed and %d reduced, want %d and %d", workers, parts, n, reduced.Load(), parts*tasks, tasks)
				}
			}
			w.close()
		}
	}
}
