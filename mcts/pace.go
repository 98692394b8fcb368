package mcts

import "time"

// Pace ends a search by a clock, where time that is not used now is of use later: sooner than
// planned when its choice cannot change any more, later when its best move is turning out worse
// than it was thought to be. It serves one search with the PUCT rule at the root; with the Gumbel
// rule it looks at the time alone.
type Pace struct {
	Began  time.Time
	Should time.Duration // that the move is planned to take
	Must   time.Duration // that it may take at most; what is less than Should counts as Should

	next    time.Duration // to see whether the choice is settled, which takes a while
	halfway bool
	value   float32 // of the move that was best when half of Should was over
}

// The constants of a Pace.
const (
	stretch = 2    // times Should is what a search may take at most
	looks   = 64   // is how often in Should it is asked whether the choice is settled
	fallen  = 0.03 // is how much worse, in [0,1], the best move must be than halfway for the search to go on
)

// Over reports whether s, whose tree the caller holds, is to end at time now.
func (p *Pace) Over(s *Search, now time.Time) bool {
	elapsed := now.Sub(p.Began)
	switch {
	case elapsed >= max(p.Should, min(p.Must, stretch*p.Should)):
		return true
	case s.cfg.Root != PUCT:
		return elapsed >= p.Should
	case elapsed >= p.Should:
		return !p.halfway || s.bestValue() > p.value-fallen
	case elapsed < p.Should/2:
	case !p.halfway:
		p.halfway, p.value = true, s.bestValue()
	}
	if elapsed < p.next {
		return false
	}
	p.next = elapsed + p.Should/looks
	rest := float64(p.Should-elapsed) / float64(max(elapsed, 1))
	return s.settled(rest * float64(s.ended))
}

// bestValue returns what the move that would be played is worth to the side to move, in [0,1].
func (s *Search) bestValue() float32 {
	n := &s.nodes[rootID]
	if n.state != expanded {
		return 0
	}
	return min(s.edgesOf(n)[s.best()].score(), 1)
}

// settled reports whether the choice of the PUCT rule stays the same whatever so many more
// simulations find, unless they prove that it loses.
func (s *Search) settled(more float64) bool {
	n := &s.nodes[rootID]
	switch {
	case n.state != expanded:
		return false
	case s.root.win >= 0:
		return true
	}
	edges := s.edgesOf(n)
	most := int32(0)
	for i := range edges {
		if edges[i].value != lost {
			most = max(most, edges[i].visits)
		}
	}
	best := s.best()
	for i := range edges {
		e := &edges[i]
		if i != best && e.value != lost && float64(e.visits)+more >= s.cfg.LeastVisits*float64(most) {
			return false
		}
	}
	return most > 0
}
