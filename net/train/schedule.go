package train

import "sync"

// task is the work of one operation for a batch. The Do of an operation does not work; it adds its
// task to the schedule, once.
type task struct {
	name string

	// begin, if not nil, runs first. It reads the weights of the program and the samples of the
	// run.
	begin func()

	// pass works on one block of a part; the blocks of a part come in ascending order. All
	// operations pass a block, in the order of the graph, before the next block of the part.
	pass func(worker, part, block int)

	// Run after all blocks, to compute gradients from the sums of the parts; independent of each
	// other.
	reduces []func()
}

// schedule is the work of a program for a batch. Gorgonia's machine runs the graph once, when it
// is compiled, and the operations add their tasks in the order in which the machine runs them.
// Every later run uses this list and no code of Gorgonia. With two workers and four parts it looks
// like this:
//
//	begin |           passes            | reduces
//	      | part 0 ▓▓▓▓▓▓ | part 2 ▓▓▓▓ | ▒▒▒▒▒▒▒
//	▒▒▒▒▒ | part 1 ▓▓▓▓▓▓ | part 3 ▓▓▓▓ | ▒▒▒▒▒▒▒
//
// During the passes no worker waits. A block goes through the whole network, forward and backward,
// while its data is in the cache; each part needs memory for one block only. A worker continues
// with its part as long as no other part is far behind, so that all parts end together even if one
// core is slower.
type schedule struct {
	batch   *batch
	tasks   []task
	reduces []func()

	passDo, reduceDo func(worker, i int)

	mu   sync.Mutex
	left []int  // [part] calls of pass still to make
	busy []bool // [part] a worker is working on it
}

func newSchedule(b *batch) *schedule {
	s := &schedule{batch: b, left: make([]int, b.parts), busy: make([]bool, b.parts)}
	s.passDo = func(worker, _ int) { s.work(worker) }
	s.reduceDo = func(_, i int) { s.reduces[i]() }
	return s
}

// add appends a task.
func (s *schedule) add(t task) {
	s.tasks = append(s.tasks, t)
	s.reduces = append(s.reduces, t.reduces...)
}

// run does all tasks. It does not allocate.
func (s *schedule) run() {
	for i := range s.tasks {
		if begin := s.tasks[i].begin; begin != nil {
			begin()
		}
	}
	for part := range s.left {
		first, end := s.batch.part(part)
		s.left[part] = (end - first) * len(s.tasks)
	}
	s.batch.run(min(s.batch.size(), s.batch.parts), s.passDo)
	s.batch.run(len(s.reduces), s.reduceDo)
}

// work passes blocks until there are none left for this worker.
func (s *schedule) work(worker int) {
	for part := s.next(worker, -1); part >= 0; part = s.next(worker, part) {
		first, end := s.batch.part(part)
		done := (end-first)*len(s.tasks) - s.left[part]
		s.tasks[done%len(s.tasks)].pass(worker, part, first+done/len(s.tasks))
	}
}

// next counts a finished call of pass for the worker's part, -1 for none, and returns the part to
// continue with. That is the same part, unless a free one is more than a quarter of the network
// behind; of equal ones each worker takes another, and the same in every run, so that their sums stay
// in the cache of its core. It returns -1 if no free part has work left; other workers are then busy
// with the rest.
func (s *schedule) next(worker, part int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := 0
	if part >= 0 {
		s.left[part]--
		s.busy[part] = false
		own = s.left[part]
	}
	most := -1
	for i := range s.left {
		p := (worker + i) % len(s.left)
		if left := s.left[p]; !s.busy[p] && left > 0 && (most < 0 || left > s.left[most]) {
			most = p
		}
	}
	if own > 0 && own+len(s.tasks)/4 >= s.left[most] {
		most = part
	}
	if most >= 0 {
		s.busy[most] = true
	}
	return most
}
