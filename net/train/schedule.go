package train

import "sync"

// task is what one operation has to do with a batch. An operation's Do does not work: it writes its task
// into the schedule, once.
type task struct {
	name string

	// begin, if not nil, is called first: it takes the program's weights for those of the run, and looks at
	// the samples.
	begin func()

	// pass does one block of a part, whose blocks come in ascending order. All operations pass a block, in
	// the order of the graph, before the part's next block.
	pass func(worker, part, block int)

	reduces []func() // make gradients of the parts' sums, when all blocks have passed; independent
}

// schedule is what a program does with a batch: Gorgonia's machine runs the graph once, when it is compiled,
// and the operations write down their tasks in the order in which the machine comes to them. Every later run is
// this list and nothing of Gorgonia's. On the workers it looks like this, with two of them and four parts:
//
//	begin |           passes            | reduces
//	      | part 0 ▓▓▓▓▓▓ | part 2 ▓▓▓▓ | ▒▒▒▒▒▒▒
//	▒▒▒▒▒ | part 1 ▓▓▓▓▓▓ | part 3 ▓▓▓▓ | ▒▒▒▒▒▒▒
//
// Within the passes nobody waits. A block goes through the whole network, there and back, while what it left
// behind is in the cache; the memory for that is one block a part. A worker goes on with its part as long as
// no other is far behind, so that all parts end together even where one core is slower.
type schedule struct {
	batch   *batch
	tasks   []task
	reduces []func()

	passDo, reduceDo func(worker, i int)

	mu   sync.Mutex
	left []int  // [part] calls of pass still to be made
	busy []bool // [part] a worker is at it
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

// work passes blocks until there are no more for this worker.
func (s *schedule) work(worker int) {
	for part := s.next(-1); part >= 0; part = s.next(part) {
		first, end := s.batch.part(part)
		done := (end-first)*len(s.tasks) - s.left[part]
		s.tasks[done%len(s.tasks)].pass(worker, part, first+done/len(s.tasks))
	}
}

// next counts a call of pass for the part that a worker has at hand, -1 for none, and returns the part to go on
// with: the same, unless a free one is more than a quarter of the network behind. It returns -1 when no part is
// free that has work left; those that have are then in the hands of other workers.
func (s *schedule) next(part int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := 0
	if part >= 0 {
		s.left[part]--
		s.busy[part] = false
		own = s.left[part]
	}
	most := -1
	for p, left := range s.left {
		if !s.busy[p] && left > 0 && (most < 0 || left > s.left[most]) {
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
