package mcts

import (
	"math"

	"damier/rules"
)

// Positions yields the positions in the tree below the root that have at least the given number of
// visits, are evaluated, and were not yielded before. worth is the value in [0,1] for the side to
// move: that of its best move, as Config.LeastVisits chooses it. line is the path: for each move
// that was a choice, its index among the legal moves in canonical order; forced moves are left out.
// The line belongs to the search. Positions more than 255 choices away, or after a move with a
// greater index, are left out.
func (s *Search) Positions(visits int, yield func(line []uint8, p rules.Position, worth float64)) {
	if len(s.nodes) > 0 {
		s.positions(rootID, make([]uint8, 0, 16), int32(max(visits, 1)), yield)
	}
}

func (s *Search) positions(id int32, line []uint8, visits int32, yield func([]uint8, rules.Position, float64)) {
	if len(line) == math.MaxUint8 {
		return
	}
	for _, e := range s.edgesOf(&s.nodes[id]) {
		child := e.child()
		if child == noNode || e.number() > math.MaxUint8 {
			continue
		}
		n := &s.nodes[child]
		if n.visits < visits || n.state != expanded {
			continue
		}
		way := append(line, uint8(e.number()))
		if n.flags&reported == 0 {
			n.flags |= reported
			yield(way, s.position(child), float64(s.trustedValue(n)))
		}
		s.positions(child, way, visits, yield)
	}
}

// trustedValue returns the value of the best move of node n: of the moves with a share
// Config.LeastVisits of the most visits the highest. It is the value of n if that is proved, or if
// no move has a visit and does not lose.
func (s *Search) trustedValue(n *node) float32 {
	edges := s.edgesOf(n)
	most := mostVisits(edges)
	if n.proof != NotProved || most == 0 {
		return n.q
	}
	best, least := float32(0), s.cfg.LeastVisits*float64(most)
	for i := range edges {
		if e := &edges[i]; e.value <= 1 && e.visits > 0 && float64(e.visits) >= least {
			best = max(best, e.value)
		}
	}
	return best
}
