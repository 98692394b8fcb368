package selfplay

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// keeping is self-play by a search that keeps its tree, whose positions are rows, and with moves at random.
var keeping = Config{
	Games: 2, FullVisits: 24, CheapVisits: 24, FullShare: 1, RandomShare: 0.2, Tree: 4, MaxPlies: 60,
	Search: mcts.Config{Root: mcts.PUCT, Fraction: -1, Share: true, Reuse: true, Best: 0.7},
}

// TestTreeRows: records with positions of trees are what a shard takes, and no position of a game's trees is told twice.
func TestTreeRows(t *testing.T) {
	a := newActor(t, keeping, nil)
	games := play(t, a, 0, 6)
	random, nodes := 0, 0
	var all []data.Game
	for _, g := range games {
		all = append(all, g)
		for i := range g.Plies {
			p := &g.Plies[i]
			if len(p.Moves) > 1 && len(p.Visits) == 0 {
				random++
				if p.Full || len(p.Tree) > 0 {
					t.Errorf("a move at random has a search: %+v", p)
				}
			}
			nodes += len(p.Tree)
			seen := map[rules.Position]bool{}
			for _, n := range p.Tree {
				if seen[n.Position] {
					t.Errorf("%s is told twice", v.FEN(n.Position))
				}
				seen[n.Position] = true
			}
		}
	}
	if random < 20 || nodes < 100 {
		t.Errorf("%d moves at random and %d positions of trees", random, nodes)
	}
	if s := a.TakeStats(); s.Tree != int64(nodes) {
		t.Errorf("the stats have %d positions of trees, the games %d", s.Tree, nodes)
	}
	if _, err := data.WriteShard(t.TempDir(), "a"+data.Extension, v, all); err != nil {
		t.Error(err)
	}
	// A network that has learnt nothing has trees that nobody learns.
	b := newActor(t, keeping, nil)
	b.SetModel("m", 0)
	for _, g := range play(t, b, 0, 2) {
		for i := range g.Plies {
			if len(g.Plies[i].Tree) > 0 {
				t.Fatal("positions of the tree of a network that has learnt nothing")
			}
		}
	}
}

// TestKeptTreesAreOneGames: games are the same whatever was played before them on the same board, with trees that are kept.
func TestKeptTreesAreOneGames(t *testing.T) {
	want := play(t, newActor(t, keeping, nil), 3, 5)
	a := newActor(t, keeping, nil)
	play(t, a, 0, 3)
	if diff := cmp.Diff(want, play(t, a, 3, 5), cmpopts.EquateNaNs(), cmp.Comparer(func(x, y rules.Position) bool { return x == y }),
		cmp.Comparer(func(x, y rules.Move) bool { return x == y })); diff != "" {
		t.Error(diff)
	}
}

// TestNewModelForgetsTrees: a search under way begins anew when another network answers.
func TestNewModelForgetsTrees(t *testing.T) {
	a := newActor(t, keeping, nil)
	a.Renumber(0, 2)
	batches := 0
	if err := a.Run(context.Background(), scatter, func() bool { batches++; return batches > 40 }, func(data.Game) {}); err != nil {
		t.Fatal(err)
	}
	a.SetModel("other", 4)
	for i, s := range a.slots {
		if n, _ := s.search.Size(); n > 0 {
			t.Errorf("board %d has a tree of %d positions of the network before", i, n)
		}
	}
	if games := finish(t, a); len(games) != 2 {
		t.Errorf("%d of 2 games were finished", len(games))
	}
}
