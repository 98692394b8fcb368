package selfplay

import (
	"bytes"
	"testing"

	"damier/data"
)

// Every ply of recorded games is the same when it is played again alone, and so is the opening.
func TestRecomputer(t *testing.T) {
	for name, cfg := range map[string]Config{
		"gumbel": {Games: 3, FullVisits: 12, CheapVisits: 4, MaxPlies: 40}, "keeping": keeping,
	} {
		a := newActor(t, cfg, nil)
		a.SetModel("m", 3)
		games := play(t, a, 0, 6)
		r, err := NewRecomputer(v, cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		searches := 0
		for id, g := range games {
			for i := range g.Plies {
				if len(g.Plies[i].Visits) == 0 {
					continue
				}
				searches++
				is, err := r.Ply(t.Context(), scatter, Stage{FullVisits: a.cfg.FullVisits, CheapVisits: a.cfg.CheapVisits}, 3, g, 0, i)
				if err != nil {
					t.Fatalf("%s: game %s, ply %d: %v", name, id, i, err)
				}
				if was := data.AppendPly(nil, &g.Plies[i]); !bytes.Equal(data.AppendPly(nil, &is), was) {
					t.Fatalf("%s: game %s, ply %d is another", name, id, i)
				}
			}
		}
		if searches < 100 {
			t.Errorf("%s: %d searches", name, searches)
		}
		stage := Stage{FullVisits: a.cfg.FullVisits, CheapVisits: a.cfg.CheapVisits}
		for number := range uint64(6) {
			seed, start := r.Opening(Identity{Seed: a.id.Seed, Actor: a.id.Actor}, number, stage)
			found := false
			for _, g := range games {
				found = found || g.Seed == seed && g.Start == start
			}
			if !found {
				t.Errorf("%s: the opening of game %d is another", name, number)
			}
		}
	}
}
