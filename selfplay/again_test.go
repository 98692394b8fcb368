package selfplay

import (
	"bytes"
	"testing"

	"damier/data"
	"damier/mcts"
)

// Games are the same when they are played again from the ply at which their network was loaded,
// whether a tree or a table is kept or not, and so is the opening. If nothing is kept, every ply
// alone is the same.
func TestRecomputer(t *testing.T) {
	for name, cfg := range map[string]Config{
		"alone":     {Visits: []string{"0:24"}, MaxPlies: 40, MCTS: mcts.Config{Root: mcts.PUCT, Share: true, Best: 0.7}},
		"gumbel":    {Visits: []string{"0:12"}, MaxPlies: 40},
		"keeping":   keeping,
		"alphabeta": {Search: AlphaBeta, Depth: 2, Nodes: 200, MaxPlies: 40},
	} {
		a := newActor(t, cfg, nil)
		games := play(t, a, 0, 6)
		r, err := NewRecomputer(v, cfg, searcherOf(t, v, cfg, scatter), nil)
		if err != nil {
			t.Fatal(err)
		}
		stage := cfg.Stage(0)
		searches := 0
		same := func(id string, was, is []data.Ply) {
			if len(was) != len(is) {
				t.Fatalf("%s: game %s has %d plies, want %d", name, id, len(is), len(was))
			}
			for i := range was {
				if len(was[i].Visits) > 0 {
					searches++
				}
				if !bytes.Equal(data.AppendPly(nil, &is[i]), data.AppendPly(nil, &was[i])) {
					t.Fatalf("%s: game %s, ply %d is another", name, id, i)
				}
			}
		}
		for id, g := range games {
			last := len(g.Plies) - 1
			is, err := r.Plies(t.Context(), stage, 3, g, 0, last)
			if err != nil {
				t.Fatalf("%s: game %s: %v", name, id, err)
			}
			same(id, g.Plies, is)
			if r.Keeps(stage) {
				continue
			}
			for i := range g.Plies {
				if is, err = r.Plies(t.Context(), stage, 3, g, i, i); err != nil {
					t.Fatalf("%s: game %s, ply %d: %v", name, id, i, err)
				}
				same(id, g.Plies[i:i+1], is)
			}
		}
		if searches < 100 {
			t.Errorf("%s: %d searches", name, searches)
		}
		for number := range uint64(6) {
			id := Identity{Seed: a.id.Seed, Actor: a.id.Actor}
			start, found := r.Opening(id, number), false
			for _, g := range games {
				found = found || g.Seed == GameSeed(id, number) && g.Start == start
			}
			if !found {
				t.Errorf("%s: the opening of game %d is another", name, number)
			}
		}
	}
}
