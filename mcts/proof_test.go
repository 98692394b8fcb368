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

// TestWinAtOnce: a move that ends the game is played whatever its prior, with any budget.
func TestWinAtOnce(t *testing.T) {
	g := gameFrom("W:W35,41,47:B36") // 35-30 leaves Black's man on 36 without a move
	against := func(l *Leaf) {
		uniform(l)
		if l.Moves[0].From != 35 || len(l.Moves) != 3 {
			return
		}
		copy(l.Priors, []float32{0.0001, 0.5, 0.4999})
	}
	for _, root := range roots {
		for _, n := range []int{1, 2, 3, 8, 50} {
			for _, noise := range []float64{0, 1} {
				s := NewSearch(rules.International, Config{Root: root, Candidates: 2})
				r := run(t, s, g, Budget{Simulations: n, Noise: noise}, rand.New(rand.NewPCG(1, uint64(n))), against, 1)
				if m := r.Moves[r.Best]; m.From != 35 || r.Visits[r.Best] == 0 || r.Values[r.Best] != 1 {
					t.Errorf("%s, %d simulations: plays %d-%d, visits %v", root, n, m.From, m.To, r.Visits)
				}
				if i := r.Sample(rand.New(rand.NewPCG(1, 1)), 5); i != r.Best {
					t.Errorf("%s: samples %d instead of the win", root, i)
				}
				if len(r.PV) != 1 {
					t.Errorf("%s: variation %v goes beyond the end", root, r.PV)
				}
			}
		}
	}
}

// winsIn reports whether the side to move can force the opponent to be without a move within that
// many plies, by trying everything. Draws by rule are only too long to matter here.
func winsIn(p rules.Position, plies int) bool {
	v := rules.International
	if plies < 1 {
		return false
	}
	for _, m := range v.AppendMoves(nil, p) {
		if losesIn(v.Play(p, m), plies-1) {
			return true
		}
	}
	return false
}

// losesIn reports whether the side to move cannot avoid to be without a move within that many
// plies.
func losesIn(p rules.Position, plies int) bool {
	v := rules.International
	for _, m := range v.AppendMoves(nil, p) {
		if plies < 1 || !winsIn(v.Play(p, m), plies-1) {
			return false
		}
	}
	return true
}

// TestSolved: on random endings a win in three plies is found, and a loss in two is avoided,
// without any knowledge in the evaluator. What is a win is decided by exhaustion.
func TestSolved(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	wins, escapes := 0, 0
	for wins < 25 || escapes < 25 {
		g := randomEnding(rng, 2+rng.IntN(3), 2+rng.IntN(3))
		p := g.Position()
		// Not more pieces than the opponent: else nearly every move wins in the end, and none is
		// wrong.
		if len(g.Legal()) < 3 || winsIn(p, 1) || p.Pieces(p.Turn).Len() > p.Pieces(p.Turn.Opponent()).Len() {
			continue
		}
		winning, lost := 0, 0
		for _, m := range g.Legal() {
			q := rules.International.Play(p, m)
			if losesIn(q, 2) {
				winning++
			}
			if winsIn(q, 1) {
				lost++
			}
		}
		win, escape := winning > 0 && 3*winning <= len(g.Legal()), lost > 0 && lost < len(g.Legal())
		if !(win && wins < 25) && !(escape && escapes < 25) {
			continue
		}
		for _, root := range roots {
			s := NewSearch(rules.International, Config{Root: root})
			r := run(t, s, g, Budget{Simulations: 600}, nil, uniform, 1)
			q := rules.International.Play(p, r.Moves[r.Best])
			if win && !losesIn(q, 6) {
				t.Errorf("%s: %s played %s, which does not win", rules.International.FEN(p), root, rules.International.FormatMove(r.Moves[r.Best]))
			}
			if escape && winsIn(q, 1) {
				t.Errorf("%s: %s played %s, which loses at once", rules.International.FEN(p), root, rules.International.FormatMove(r.Moves[r.Best]))
			}
		}
		if win {
			wins++
		}
		if escape {
			escapes++
		}
	}
}
