package mcts

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"damier/rules"
)

// TestMemoryCap: the slab never outgrows the cap, and the search that meets it is done with a
// result.
func TestMemoryCap(t *testing.T) {
	g := rules.NewGame(rules.International)
	for _, root := range roots {
		for _, nodes := range []int{1, 2, 50, 333} {
			s := NewSearch(rules.International, Config{Root: root, MaxNodes: nodes, Reuse: true})
			r := run(t, s, g, Budget{Simulations: 5000}, nil, scatter, 4)
			if len(s.nodes) != nodes || cap(s.nodes) > nodes || r.Simulations < nodes-1 || !s.Done() {
				t.Errorf("%s: %d nodes with room for %d after %d simulations, cap %d", root, len(s.nodes), cap(s.nodes), r.Simulations, nodes)
			}
			next := rules.NewGame(rules.International)
			if err := next.Play(r.Moves[r.Best]); err != nil {
				t.Fatal(err)
			}
			run(t, s, next, Budget{Simulations: 5000}, nil, scatter, 4)
			if cap(s.nodes) > nodes || cap(s.spare.nodes) > nodes {
				t.Errorf("%s: room for %d and %d nodes after reuse, cap %d", root, cap(s.nodes), cap(s.spare.nodes), nodes)
			}
		}
	}
}

// TestAllocations: a search that has its memory allocates nothing, from Start to Result.
func TestAllocations(t *testing.T) {
	for _, cfg := range []Config{{}, {Root: PUCT}, {Reuse: true}} {
		for _, batch := range []int{1, 16} {
			g := randomGame(rand.New(rand.NewPCG(15, 1)), 20)
			next := rules.NewGame(rules.International)
			for _, m := range g.Moves() {
				if err := next.Play(m); err != nil {
					t.Fatal(err)
				}
			}
			s := NewSearch(rules.International, cfg)
			rng := rand.New(rand.NewPCG(1, 1))
			ev := Evaluator(evalFunc(func(l *Leaf) { uniform(l) }))
			search := func(g *rules.Game) Result {
				s.Start(g, Budget{Simulations: 300, Noise: 1}, rng)
				r, err := s.Run(context.Background(), ev, batch)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			r := search(g)
			if err := next.Play(r.Moves[r.Best]); err != nil {
				t.Fatal(err)
			}
			for range 40 { // more than any of the runs below will need
				search(g)
				search(next)
			}
			if n := testing.AllocsPerRun(5, func() { search(g); search(next) }); n != 0 {
				t.Errorf("%+v, batch %d: %g allocations", cfg, batch, n)
			}
		}
	}
}

// TestLayout holds the sizes that the drawing above tree speaks of.
func TestLayout(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"node":  {reflect.TypeFor[node]().Size(), nodeBytes},
		"board": {reflect.TypeFor[rules.Packed]().Size(), boardBytes},
		"edge":  {reflect.TypeFor[edge]().Size(), edgeBytes},
		"seed":  {reflect.TypeFor[seed]().Size(), seedBytes},
		"slot":  {reflect.TypeFor[slot]().Size(), slotBytes},
		"high":  {reflect.TypeFor[rules.HighWords]().Size(), highBytes},
	} {
		if size[0] != size[1] {
			t.Errorf("a %s takes %d bytes, want %d", name, size[0], size[1])
		}
	}
}
