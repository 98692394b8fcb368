package mcts

import "time"

// Pace ends a search by a clock on which unused time is saved for later moves. It ends the search
// earlier than planned if its choice cannot change any more, and later if its best move becomes
// worse than it seemed before. It serves one search with the PUCT rule at the root; with the
// Gumbel rule it looks at the time only.
type Pace struct {
	Began  time.Time
	Should time.Duration // planned time for the move
	Must   time.Duration // longest time for the move; if it is less than Should, Should counts

	next    time.Duration // when to test again whether the choice is settled
	halfway bool
	value   float32 // value of the best move when half of Should was over
}

// The constants of a Pace.
const (
	stretch = 2    // a search takes at most stretch*Should
	looks   = 64   // how often during Should to test whether the choice is settled, because a test is slow
	fallen  = 0.03 // the search goes on if the value of the best move, in [0,1], has fallen by this since halfway
)

// Over reports whether s must end at time now. The caller holds the tree.
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

// bestValue returns the value, in [0,1] for the side to move, of the move that the search would
// play now.
func (s *Search) bestValue() float32 {
	n := &s.nodes[rootID]
	if n.state != expanded {
		return 0
	}
	return min(s.edgesOf(n)[s.best()].score(), 1)
}

// settled reports whether the choice of the PUCT rule stays the same whatever the given number of
// further simulations finds, unless they prove that it loses.
func (s *Search) settled(more float64) bool {
	n := &s.nodes[rootID]
	switch {
	case n.state != expanded:
		return false
	case s.root.win >= 0:
		return true
	}
	edges := s.edgesOf(n)
	most := mostVisits(edges)
	best := s.best()
	for i := range edges {
		e := &edges[i]
		if i != best && e.value != lost && float64(e.visits)+more >= s.cfg.LeastVisits*float64(most) {
			return false
		}
	}
	return most > 0
}
