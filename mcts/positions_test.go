package mcts

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"damier/rules"
)

// TestPositions: every position of the tree with enough visits is reported once, with what it is
// worth.
func TestPositions(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(41, 1)), 20)
	for len(g.Legal()) == 1 {
		g.Undo()
	}
	s := NewSearch(rules.International, Config{Root: PUCT, Share: true, Reuse: true, LeastVisits: 0.5})
	unlike := 0
	for _, n := range []int{300, 200} {
		s.Start(g, Budget{Simulations: n}, nil)
		if _, err := s.Run(context.Background(), evalFunc(scatter), 1); err != nil {
			t.Fatal(err)
		}
		want := map[rules.Position]float64{}
		for i := 1; i < len(s.nodes); i++ {
			if x := &s.nodes[i]; x.visits >= 5 && x.state != terminal && x.flags&reported == 0 {
				want[s.position(int32(i))] = trusted(s, x)
			}
		}
		for i := range s.nodes {
			if w, ok := want[s.position(int32(i))]; ok && w != float64(s.nodes[i].q) {
				unlike++
			}
		}
		if len(want) < 10 {
			t.Fatalf("only %d positions to tell", len(want))
		}
		s.Positions(5, func(line []uint8, p rules.Position, worth float64) {
			if at := follow(rules.International, g.Position(), line); at != p {
				t.Errorf("line %v leads to %s, reported %s", line, rules.International.FEN(at), rules.International.FEN(p))
			}
			if w, ok := want[p]; !ok || w != worth {
				t.Errorf("reported %s, %g; want %g, %t", rules.International.FEN(p), worth, w, ok)
			}
			delete(want, p)
		})
		if len(want) > 0 {
			t.Errorf("%d positions were not reported", len(want))
		}
		s.Positions(5, func([]uint8, rules.Position, float64) { t.Error("reported twice") })
	}
	if unlike < 10 {
		t.Errorf("the best move of %d positions has another value than the position", unlike)
	}
}

// trusted returns the value that Positions reports of a node. It sorts the moves by their value and
// takes the first with visits enough.
func trusted(s *Search, n *node) float64 {
	if n.proof != NotProved {
		return float64(n.q)
	}
	var edges []edge
	most := int32(0)
	for _, e := range s.edgesOf(n) {
		if e.visits > 0 && e.value >= 0 {
			edges = append(edges, e)
			most = max(most, e.visits)
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(b.value, a.value) })
	for _, e := range edges {
		if float64(e.visits) >= s.cfg.LeastVisits*float64(most) {
			return float64(e.value)
		}
	}
	return float64(n.q)
}

// follow plays a line as Positions tells it.
func follow(v *rules.Variant, p rules.Position, line []uint8) rules.Position {
	for _, n := range line {
		p = v.Play(p, v.AppendMoves(nil, p)[n])
		for moves := v.AppendMoves(nil, p); len(moves) == 1; moves = v.AppendMoves(nil, p) {
			p = v.Play(p, moves[0])
		}
	}
	return p
}
