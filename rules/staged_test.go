package rules

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestStages compares what a search asks in stages with the whole, in the positions of random
// games of every variant.
func TestStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 26))
	for _, name := range Names() {
		v, err := Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		stuck := 0
		for range 40 {
			g := NewGame(v)
			for {
				p := g.Position()
				want := v.AppendMoves(nil, p)
				if capturing := len(want) > 0 && want[0].IsCapture(); capturing != v.CanCapture(&p) {
					t.Fatalf("%s, %s: CanCapture is %t", name, v.FEN(p), !capturing)
				}
				turned := p
				turned.Turn ^= 1
				if v.Threatened(&p) != v.CanCapture(&turned) {
					t.Fatalf("%s, %s: Threatened is %t", name, v.FEN(p), v.Threatened(&p))
				}
				for _, m := range want {
					q := NewPosition(Set{}, Set{Lo: 1}, Set{}, Black) // PlayTo overwrites all of it
					q.Quiet, q.Endgame, q.Road = 1, 2, 3
					if v.PlayTo(&q, &p, &m); q != v.playSets(p, m) {
						t.Fatalf("%s, %s: PlayTo of %v leads to %+v", name, v.FEN(p), m, q)
					}
				}
				if v.HasCaptures(p) {
					if got := v.AppendCaptures(nil, &p); !slices.Equal(got, want) {
						t.Fatalf("%s, %s: captures %v, want %v", name, v.FEN(p), got, want)
					}
				} else {
					if got := v.AppendCaptures(nil, &p); len(got) != 0 {
						t.Fatalf("%s, %s: captures %v, want none", name, v.FEN(p), got)
					}
					if got := v.AppendQuiet(nil, &p); !slices.Equal(got, want) {
						t.Fatalf("%s, %s: quiet moves %v, want %v", name, v.FEN(p), got, want)
					}
					if v.CanMove(&p) != (len(want) > 0) {
						t.Fatalf("%s, %s: CanMove is %t, but there are %d moves", name, v.FEN(p), len(want) == 0, len(want))
					}
				}
				if !v.MayBeDrawn(&p) && (v.DrawByCount(p) != NoReason || repeated(g)) {
					t.Fatalf("%s, %s: drawn, but MayBeDrawn says no", name, v.FEN(p))
				}
				if len(want) == 0 {
					stuck++
				}
				if g.Over() {
					break
				}
				if err := g.Play(want[rng.IntN(len(want))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if stuck == 0 {
			t.Errorf("%s: no game ended without moves", name)
		}
	}
}

// repeated reports whether the position of g stood on the board before.
func repeated(g *Game) bool {
	all := g.Positions()
	p := all[len(all)-1]
	return slices.ContainsFunc(all[:len(all)-1], p.Same)
}
