package mcts

import "testing"

// TestMostTrusted: what the PUCT rule plays after a search.
func TestMostTrusted(t *testing.T) {
	for _, c := range []struct {
		name  string
		least float64
		edges []edge
		want  int
	}{
		{"the most visited", 1, []edge{{visits: 10, value: 0.9}, {visits: 20, value: 0.5}, {visits: 19, value: 0.8}}, 1},
		{"of equal visits the better", 1, []edge{{visits: 20, value: 0.4}, {visits: 20, value: 0.5}}, 1},
		{"the best with enough visits", 0.5, []edge{{visits: 9, value: 0.9}, {visits: 20, value: 0.5}, {visits: 10, value: 0.6}}, 2},
		{"of equal values the more visited", 0.1, []edge{{visits: 5, value: 0.5}, {visits: 20, value: 0.5}}, 1},
		{"none that is proved to lose", 0.1, []edge{{visits: 50, value: lost}, {visits: 20, value: 0.1}}, 1},
		{"what loses does not count for the most visits", 0.5, []edge{{visits: 50, value: lost}, {visits: 20, value: 0.1}, {visits: 10, value: 0.2}}, 2},
		{"the longest resistance", 0.1, []edge{{visits: 5, value: lost}, {visits: 20, value: lost}}, 1},
		{"without visits the highest prior", 0.1, []edge{{value: unknown, packed: packPrior(0.2)}, {value: 0.9, packed: packPrior(0.5)}, {packed: packPrior(0.3)}}, 1},
		{"no move without a visit where others have some", 0.1, []edge{{value: unknown, packed: packPrior(0.9)}, {visits: 1, value: 0.1}}, 1},
	} {
		s := &Search{cfg: Config{LeastVisits: c.least}}
		for _, e := range c.edges {
			s.root.priors = append(s.root.priors, e.prior())
		}
		if i := s.mostTrusted(c.edges); i != c.want {
			t.Errorf("%s: move %d, want %d", c.name, i, c.want)
		}
	}
}
