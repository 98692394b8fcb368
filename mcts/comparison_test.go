package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// TestTwin compares whole trees with those of the slow search, node by node.
func TestTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	proved, shared, offers := 0, 0, 0
	for i := range 240 {
		g := randomGame(rng, 40)
		if i%2 == 1 {
			g = randomEnding(rng, 1+rng.IntN(4), 1+rng.IntN(4))
			playRandom(g, rng, rng.IntN(8))
		}
		if len(g.Legal()) == 1 {
			continue
		}
		cfg := Config{Root: roots[i/2%2], Candidates: 2 + rng.IntN(8), RepetitionDraw: 2 + rng.IntN(2),
			Best: []float64{0, 0, 0.3, 0.6}[i%4], Share: i%3 > 0, Scout: []int{0, 2, 9}[i/4%3],
			CPuctGrowth: []float64{0, 0.35, -1}[i/7%3],
			CPuct:       []float64{0, 0.02}[i/9%2]} // with 0.02 moves of the scout stay untried for long
		n := 1 + rng.IntN(200)
		scatter := scatter
		if i%5 > 2 {
			scatter = valued
		}
		s := NewSearch(rules.International, cfg)
		run(t, s, g, Budget{Simulations: n}, nil, scatter, 1)
		w := newTwin(cfg, g, scatter, n)
		if err := s.compare(w, rootID, w.root, "root"); err != nil {
			t.Fatalf("%s, %+v, %d simulations: %v", rules.International.FEN(g.Position()), cfg, n, err)
		}
		parents := map[int32]int{}
		for i := range s.nodes {
			for _, e := range s.edgesOf(&s.nodes[i]) {
				if e.move&offerBit != 0 {
					offers++
				}
				if e.child() == noNode {
					continue
				}
				if parents[e.child()]++; parents[e.child()] == 2 {
					shared++
				}
			}
			if s.nodes[i].proof != NotProved && s.nodes[i].state == expanded {
				proved++
			}
		}
	}
	if proved < 100 || shared < 50 || offers < 20 {
		t.Errorf("only %d proved and %d shared nodes and %d offers of the scout were compared", proved, shared, offers)
	}
}

// compare returns the first difference between the subtree of node id and the twin's.
func (s *Search) compare(t *twin, id int32, w *twinNode, path string) error {
	n := &s.nodes[id]
	if worth := t.worth(w); int(n.visits) != w.visits() || math.Abs(float64(n.q-worth)) > 1e-5 || math.Abs(s.draws[id]-w.draws) > 1e-5 || (n.state == terminal) != (w.result != nil) || n.proof != w.proof {
		return fmt.Errorf("%s: %d visits, worth %g, draws %g, state %d, proof %d; the twin has %d, %g, %g, result %v, proof %d", path,
			n.visits, n.q, s.draws[id], n.state, n.proof, w.visits(), worth, w.draws, w.result, w.proof)
	}
	if int(s.nodes[id].count) != len(w.moves) {
		return fmt.Errorf("%s: moves differ", path)
	}
	for _, e := range s.edgesOf(n) {
		i := e.number()
		if (e.child() == noNode) != (w.edges[i].child == nil) || int(e.visits) != w.edges[i].visits {
			return fmt.Errorf("%s: move %d has child %d and %d visits, the twin's is %+v", path, i, e.child(), e.visits, w.edges[i])
		}
		if e.child() == noNode {
			continue
		}
		if err := s.compare(t, e.child(), w.edges[i].child, path+" "+rules.International.FormatMove(w.moves[i])); err != nil {
			return err
		}
	}
	return nil
}
