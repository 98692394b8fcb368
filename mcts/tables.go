package mcts

import (
	"math/bits"

	"damier/rules"
)

// Prober knows the results of positions with few pieces, from endgame tables. One goroutine of
// each search calls its methods, and several searches may call them at once.
type Prober interface {
	// Pieces returns the largest number of pieces, of both sides together, of positions that it
	// may know.
	Pieces() int

	// Glance returns the outcome of the game from p under perfect play, with the draw counters of
	// p, and the number of plies to it; ok is false if it does not know. exact false means a win
	// that a draw counter may still prevent. It is fast, because a search asks it at its leaves.
	Glance(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)

	// Best returns the legal move of p to play: the shortest win, a draw, or the longest loss. It
	// returns false if it does not know the results of all moves.
	Best(p rules.Position) (rules.Move, bool)
}

// probes is the state of a search with a Prober.
type probes struct {
	prober Prober // nil for none
	most   int    // prober.Pieces()
	best   int    // index of the root move that the prober plays, -1 if it knows none
	plies  int    // plies to the end of the position that the prober knew last
}

// SetTables makes searches from the next Start on use p; nil means none. A position that p knows
// ends its line, and is proved if p is exact. If p knows the root, it chooses the move. SetTables
// drops the tree.
func (s *Search) SetTables(p Prober) {
	s.Forget()
	s.probes = probes{prober: p, best: -1}
	if p != nil {
		s.probes.most = p.Pieces()
	}
}

// few reports whether the prober may know p. It is fast, because every new node pays for it.
func (t *probes) few(p *rules.Position) bool {
	white, black, _ := p.Sets()
	return bits.OnesCount64(white.Lo|black.Lo)+bits.OnesCount16(white.Hi|black.Hi) <= t.most
}

// The value of a win that a draw counter may still prevent: openWin for the shortest, less
// openStep for each ply.
const (
	openWin  = 0.95
	openStep = 0.001
)

// probe makes c terminal if the prober knows its position p, and reports whether it does.
func (s *Search) probe(c *node, p *rules.Position, value *rules.WDL) bool {
	if !s.probes.few(p) {
		return false
	}
	outcome, plies, exact, ok := s.probes.prober.Glance(*p)
	if !ok {
		return false
	}
	s.probes.plies = plies
	result := outcome.WDL(p.Turn)
	if exact {
		c.proof = proofOf(result)
	} else {
		likely := max(openWin-openStep*float32(plies), 0.7)
		result.Draw = 1 - likely
		result.Win *= likely
		result.Loss *= likely
	}
	*value = result
	return true
}

// openKnown handles a root that the prober knows. It tries all moves once, so that the result has
// their values and proofs, and chooses the prober's move.
func (s *Search) openKnown() {
	t := &s.probes
	root := s.position(rootID)
	if t.prober == nil || !t.few(&root) {
		return
	}
	m, ok := t.prober.Best(root)
	if !ok {
		return
	}
	best, repeats := float32(-1), false
	for i := range s.moves {
		at := step{rootID, int32(i)}
		child := s.edge(at).child()
		if child == noNode || s.edge(at).visits == 0 {
			s.path = append(s.path[:0], at)
			if child == noNode {
				child = s.grow()
			}
			if child == noNode || s.nodes[child].state != terminal {
				return // the tree is full, or a forced line leads to a position that the prober does not know
			}
			s.ended++
			s.visit(child, s.path, float64(s.nodes[child].draw()), 0)
		}
		best = max(best, s.edge(at).score())
		if n := s.variant.Draws.Repetition; n > 0 && int(s.nodes[s.edge(at).child()].occurs) >= n {
			repeats = true
		}
		if s.moves[i] == m {
			t.best = i
		}
	}
	n := &s.nodes[rootID]
	if n.proof == NotProved {
		n.q = best
	}
	if repeats && s.edge(step{rootID, int32(t.best)}).score() < best {
		t.best = -1 // the tables do not know of repetitions, but the values do
	}
}
