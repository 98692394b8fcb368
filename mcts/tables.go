package mcts

import (
	"math/bits"

	"damier/rules"
)

// Prober knows how positions of few pieces end: endgame tables. Its methods are called by one goroutine of each search,
// and by several searches at once.
type Prober interface {
	// Pieces returns the most pieces, of both sides together, of a position that it may know.
	Pieces() int

	// Solve returns how the game ends from p under perfect play by the draw counters that p has, and in how many plies;
	// ok is false if it does not know. With exact false it is a win that a counter may yet forbid.
	Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)

	// Best returns the legal move of p to play: the shortest win, a draw, or the longest loss. It returns false if it
	// does not know what all moves lead to.
	Best(p rules.Position) (rules.Move, bool)
}

// probes is what a search has of a Prober.
type probes struct {
	prober Prober // or nil
	most   int    // its pieces
	best   int    // the root move that it plays, -1 if it knows none
	plies  int    // of the position that was known last
}

// SetTables lets searches from the next Start on ask p, nil for nobody: a position that p knows is the end of its line,
// proved where p is exact, and in a root that p knows the move is p's. The tree is dropped.
func (s *Search) SetTables(p Prober) {
	s.Forget()
	s.probes = probes{prober: p, best: -1}
	if p != nil {
		s.probes.most = p.Pieces()
	}
}

// few reports whether p may be known to the prober. It is what a search pays where tables are of no use.
func (t *probes) few(p *rules.Position) bool {
	white, black, _ := p.Sets()
	return bits.OnesCount64(white.Lo|black.Lo)+bits.OnesCount16(white.Hi|black.Hi) <= t.most
}

// The worth of a win that a counter may yet forbid, of the shortest and what it loses by the ply.
const (
	openWin  = 0.95
	openStep = 0.001
)

// probe makes c the end of its line if the prober knows its position p, and reports whether it does.
func (s *Search) probe(c *node, b *board, p *rules.Position) bool {
	if !s.probes.few(p) {
		return false
	}
	outcome, plies, exact, ok := s.probes.prober.Solve(*p)
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
	b.setValue(result)
	return true
}

// openKnown looks, in a root that the prober knows, at all moves once, so that the result has their values and
// proofs, and chooses the prober's.
func (s *Search) openKnown() {
	t := &s.probes
	if t.prober == nil || !t.few(&s.boards[rootID].position) {
		return
	}
	m, ok := t.prober.Best(s.boards[rootID].position)
	if !ok {
		return
	}
	best := float32(-1)
	for i := range s.moves {
		at := step{rootID, int32(i)}
		child := s.edge(at).child
		if child == noNode || s.edge(at).visits == 0 {
			s.path = append(s.path[:0], at)
			if child == noNode {
				child = s.grow()
			}
			if child == noNode || s.nodes[child].state != terminal {
				return // the tree is full, or it is a position that a forced line leads to and that is not known
			}
			s.ended++
			s.visit(child, s.path, float64(s.boards[child].draw), 0)
		}
		best = max(best, s.edge(at).score())
		if s.moves[i] == m {
			t.best = i
		}
	}
	n := &s.nodes[rootID]
	switch {
	case n.proof == NotProved:
		n.q = best
	case t.best >= 0 && s.proofOfMove(t.best) != n.proof:
		t.best = -1 // the game has been where the move leads too often: it draws there, and another move is better
	}
}
