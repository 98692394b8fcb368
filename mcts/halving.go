package mcts

import "math/bits"

// halving is the schedule of sequential halving (Karnin et al., ICML 2013, as in Danihelka et al.,
// ICLR 2022). In each phase the remaining candidates get the same number of simulations, then the
// better half remains. The last two remain to the end and share what rounding left of the budget.
type halving struct {
	budget     int
	phases     int // log2 of the first number of candidates, rounded up
	candidates int // of the present phase
	start, end int // of the present phase, in simulations of the budget
}

// newHalving returns the schedule in its first phase.
func newHalving(candidates, budget int) halving {
	h := halving{budget: budget, phases: bits.Len(uint(candidates - 1)), candidates: candidates}
	h.setEnd()
	return h
}

// next starts the next phase.
func (h *halving) next() {
	h.candidates = min(h.candidates, max(2, h.candidates/2))
	h.start = h.end
	h.setEnd()
}

func (h *halving) setEnd() {
	if h.candidates == 1 {
		h.end = h.budget
		return
	}
	rounds := max(1, h.budget/(h.phases*h.candidates))
	h.end = min(h.start+rounds*h.candidates, h.budget)
}
