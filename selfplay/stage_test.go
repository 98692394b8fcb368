package selfplay

import (
	"context"
	"math/rand/v2"
	"testing"

	"damier/data"
	"damier/rules"
)

// TestThinned: what is left of a position was in it before, of each side something, and of the two about as much.
func TestThinned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[int]bool{}
		for range 1000 {
			g := rules.NewGame(v)
			for range rng.IntN(60) {
				if g.Over() {
					break
				}
				if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
					t.Fatal(err)
				}
			}
			p := g.Position()
			if p.Pieces(rules.White).Empty() || p.Pieces(rules.Black).Empty() {
				continue
			}
			q := thinned(v, p, rng)
			var kept [2]int
			for c := range rules.Color(2) {
				kept[c] = q.Pieces(c).Len()
				if !q.Men(c).AndNot(p.Men(c)).Empty() || !q.Kings(c).AndNot(p.Kings(c)).Empty() {
					t.Fatalf("%s: %v is not part of %v", name, q, p)
				}
				if kept[c] < 1 {
					t.Fatalf("%s: nothing of a side is left of %v", name, p)
				}
			}
			if d := kept[0] - kept[1]; d < -2 || d > 2 {
				t.Fatalf("%s: %d pieces against %d of %v", name, kept[0], kept[1], p)
			}
			if q.Turn != p.Turn {
				t.Fatalf("%s: the other side is to move", name)
			}
			sizes[kept[0]] = true
		}
		for n := 1; n < v.Start().Pieces(rules.White).Len()-2; n++ {
			if !sizes[n] {
				t.Errorf("%s: never %d pieces", name, n)
			}
		}
	}
}

// TestSimpleStage: a simple stage has its share of games with fewer pieces and no forcing candidates; after it games
// are as they were.
func TestSimpleStage(t *testing.T) {
	full := v.Start().Pieces(rules.White).Len()
	begun := func(share float64, simple bool) (thin, games int) {
		a := newActor(t, Config{Games: 8, FullVisits: 2, CheapVisits: 1, MaxPlies: 20, SimpleShare: share, OpeningShare: -1}, nil)
		a.SetStage(Stage{FullVisits: 2, CheapVisits: 1, Simple: simple})
		a.Renumber(0, 200)
		if err := a.Run(context.Background(), scatter, func() bool { return false }, func(g data.Game) {
			games++
			if g.Start.Pieces(rules.White).Len() < full || g.Start.Pieces(rules.Black).Len() < full {
				thin++
			}
		}); err != nil {
			t.Fatal(err)
		}
		return thin, games
	}
	for _, c := range []struct {
		share       float64
		simple      bool
		least, most int
	}{
		{0.5, true, 75, 125}, // 200 games of one half: less than four standard deviations
		{1, true, 180, 200},
		{-1, true, 0, 0},
		{1, false, 0, 0},
	} {
		if thin, games := begun(c.share, c.simple); games != 200 || thin < c.least || thin > c.most {
			t.Errorf("share %g, simple %v: %d of %d games begin with fewer pieces, want %d to %d", c.share, c.simple, thin, games, c.least, c.most)
		}
	}
}
