package mcts

import (
	"slices"
	"testing"
)

// TestHalvingTable: the schedule of some budgets, worked out by hand from rounds = max(1, budget /
// (ceil(log2 candidates) * remaining)).
func TestHalvingTable(t *testing.T) {
	for _, c := range []struct {
		candidates, budget int
		want               [][2]int // remaining candidates, simulations of the phase
	}{
		{1, 5, [][2]int{{1, 5}}},
		{2, 7, [][2]int{{2, 6}, {2, 1}}},
		{3, 10, [][2]int{{3, 3}, {2, 4}, {2, 3}}},
		{4, 8, [][2]int{{4, 4}, {2, 4}}},
		{5, 20, [][2]int{{5, 5}, {2, 6}, {2, 6}, {2, 3}}},
		{8, 8, [][2]int{{8, 8}}},
		{8, 32, [][2]int{{8, 8}, {4, 8}, {2, 10}, {2, 6}}},
		{8, 64, [][2]int{{8, 16}, {4, 20}, {2, 20}, {2, 8}}},
		{16, 32, [][2]int{{16, 16}, {8, 8}, {4, 8}}},
		{16, 200, [][2]int{{16, 48}, {8, 48}, {4, 48}, {2, 50}, {2, 6}}},
	} {
		h := newHalving(c.candidates, c.budget)
		got := [][2]int{{h.candidates, h.end - h.start}}
		for h.end < c.budget {
			h.next()
			got = append(got, [2]int{h.candidates, h.end - h.start})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d candidates, %d simulations: %v, want %v", c.candidates, c.budget, got, c.want)
		}
	}
}

// TestHalvingAll compares the schedule with the twin's, simulation by simulation.
func TestHalvingAll(t *testing.T) {
	for m := 1; m <= 20; m++ {
		for n := m; n <= 300; n++ {
			h := newHalving(m, n)
			for i, want := range considerations(m, n) {
				if i == h.end {
					h.next()
				}
				if h.candidates != want.candidates || (i-h.start)%h.candidates != want.index || (i == h.start) != want.rank {
					t.Fatalf("%d candidates, %d simulations: simulation %d is %+v, want %+v", m, n, i, h, want)
				}
			}
		}
	}
}
