package selfplay

import (
	"testing"

	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// keeping returns a config of self-play with random moves and a search that keeps its tree and
// records the tree's positions as rows.
var keeping = Config{
	Visits: []string{"0:24"}, RandomShare: 0.2, TreeRows: 4, MaxPlies: 60,
	MCTS: mcts.Config{Root: mcts.PUCT, Fraction: -1, Share: true, Reuse: true, Best: 0.7},
}

// TestTreeRows: a shard accepts records with positions of trees, and no position of the trees of a
// game is recorded twice.
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
	// The trees of an untrained network are not recorded.
	b := newActor(t, keeping, nil)
	b.SetModel(searcherOf(t, v, keeping, scatter), "m", 0)
	for _, g := range play(t, b, 0, 2) {
		for i := range g.Plies {
			if len(g.Plies[i].Tree) > 0 {
				t.Fatal("positions of the tree of a network that has learnt nothing")
			}
		}
	}
}
