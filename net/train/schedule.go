package train

// task is the work of one operation for a batch. The Do of an operation does not work; it adds its
// task to the schedule, once.
type task struct {
	name string

	// begin, if not nil, runs first. It reads the weights of the program and the samples of the
	// run.
	begin func()

	// pass works on one part. All operations pass a part in the order of the graph.
	pass func(part int)

	// Run after all parts, to compute gradients from the sums of the parts; independent of each
	// other.
	reduces []func()
}

// schedule is the work of a program for a batch. Gorgonia's machine runs the graph once, when it
// is compiled, and the operations add their tasks in the order in which the machine runs them.
// Every later run uses this list and no code of Gorgonia. With two workers and four parts it looks
// like this:
//
//	begin |           passes            | reduces
//	      | part 0 ▓▓▓▓▓▓ | part 1 ▓▓▓▓ | ▒▒▒▒▒▒▒
//	▒▒▒▒▒ | part 2 ▓▓▓▓▓▓ | part 3 ▓▓▓▓ | ▒▒▒▒▒▒▒
//
// During the passes no worker waits. A part goes through the whole network, forward and backward,
// while its data is in the cache of a core.
type schedule struct {
	batch   *batch
	tasks   []task
	reduces []func()

	passDo, reduceDo func(worker, i int)
}

func newSchedule(b *batch) *schedule {
	s := &schedule{batch: b}
	s.passDo = func(_, part int) {
		for i := range s.tasks {
			s.tasks[i].pass(part)
		}
	}
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
	s.batch.run(s.batch.parts, s.passDo)
	s.batch.run(len(s.reduces), s.reduceDo)
}
