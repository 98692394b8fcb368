package mcts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// refute plays what is proved of node id through on the board of g, which the referee judges:
// against a proved loss every move, for a proved win one. It returns the first proof that does not
// hold, in words.
func (s *Search) refute(id int32, g *rules.Game) string {
	n := &s.nodes[id]
	if n.state == terminal {
		outcome, reason := g.Outcome()
		if !g.Over() || proofOf(outcome.WDL(n.turn)) != n.proof {
			return "the referee says " + fmt.Sprint(outcome, ", ", reason)
		}
		return ""
	}
	best := ProvedLoss
	for _, e := range s.edgesOf(n) {
		if !e.settled() {
			if n.proof != ProvedWin {
				return "a move is left out"
			}
			continue
		}
		c := &s.nodes[e.child()]
		proof := c.proof
		if c.turn != n.turn {
			proof = proof.flip()
		}
		best = max(best, proof)
		if n.proof == ProvedWin && proof != ProvedWin {
			continue
		}
		plies := 1
		if err := g.Play(g.Legal()[e.number()]); err != nil {
			return err.Error()
		}
		for g.Position() != s.position(e.child()) {
			if len(g.Legal()) != 1 {
				return "a line goes astray"
			}
			if err := g.Play(g.Legal()[0]); err != nil {
				return err.Error()
			}
			plies++
		}
		fault := s.refute(e.child(), g)
		for range plies {
			g.Undo()
		}
		if fault != "" {
			return fault
		}
	}
	if best != n.proof {
		return "another result is better"
	}
	return ""
}

// TestProofs: in every variant, what a search has proved is so by the referee, whatever is played.
func TestProofs(t *testing.T) {
	for _, name := range rules.Names() {
		v := lookup(t, name)
		rng := rand.New(rand.NewPCG(19, 1))
		count := map[Proof]int{}
		for i := range 40 {
			g := randomEndingOf(v, rng, 1+rng.IntN(3), 1+rng.IntN(3))
			playRandom(g, rng, rng.IntN(6))
			if len(g.Legal()) == 1 {
				continue
			}
			s := NewSearch(v, Config{Root: roots[i%2], Share: i%3 > 0, Best: 0.5})
			run(t, s, g, Budget{Simulations: 400}, nil, scatter, 1+i%2*3)
			proof := s.nodes[rootID].proof
			if proof == NotProved {
				continue
			}
			count[proof]++
			replay := rules.NewGameFrom(v, g.Start())
			for _, m := range g.Moves() {
				if err := replay.Play(m); err != nil {
					t.Fatal(err)
				}
			}
			if fault := s.refute(rootID, replay); fault != "" {
				t.Errorf("%s, %s: proof %d: %s", name, v.FEN(g.Position()), proof, fault)
			}
			if r := s.Result(); proof != ProvedLoss && r.Proofs[r.Best] != proof {
				t.Errorf("%s, %s: plays a move of proof %d, the position has %d", name, v.FEN(g.Position()), r.Proofs[r.Best], proof)
			}
		}
		if count[ProvedWin] == 0 {
			t.Errorf("%s: no win was proved: %v", name, count)
		}
	}
}
