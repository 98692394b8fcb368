package mcts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// plainCombination is combinations.find written the obvious way, without a limit: the offer after
// which most can be forced, by the slow twin of the move generator.
func plainCombination(v *rules.Variant, p rules.Position, offers int) (best int, ok bool) {
	moves := v.ReferenceMoves(p)
	if len(moves) == 0 || moves[0].IsCapture() {
		return 0, false
	}
	c := newCombinations(v)
	c.solver = p.Turn
	most := c.balance(&p) + man - 1
	for i, m := range moves {
		if worth := plainForced(c, v.Play(p, m), offers-1); v.HasCaptures(v.Play(p, m)) && worth > most {
			best, ok, most = i, true, worth
		}
	}
	return best, ok
}

// none is less than any balance: the chain has no end that counts.
const none = -1000

// plainForced returns the greatest balance that the solver can force by captures and so many more
// offers.
func plainForced(c *combinations, p rules.Position, offers int) int {
	moves := c.v.ReferenceMoves(p)
	mine := p.Turn == c.solver
	capture := len(moves) > 0 && moves[0].IsCapture()
	worth := none
	switch {
	case !capture && !mine:
		return c.balance(&p)
	case !capture && !attacked(c.v, p):
		worth = c.balance(&p)
	case capture && !mine:
		worth = -none
	}
	for _, m := range moves {
		after := c.v.Play(p, m)
		switch {
		case capture && mine:
			worth = max(worth, plainForced(c, after, offers))
		case capture:
			worth = min(worth, plainForced(c, after, offers))
		case offers > 0 && c.v.HasCaptures(after):
			worth = max(worth, plainForced(c, after, offers-1))
		}
	}
	return worth
}

// attacked reports whether the side that is not to move could capture if it were its turn.
func attacked(v *rules.Variant, p rules.Position) bool {
	p.Turn = p.Turn.Opponent()
	return v.HasCaptures(p)
}

// TestCombination compares the scout with the obvious way, in positions from random play of every
// variant in which men are what counts.
func TestCombination(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := newCombinations(v)
		if c == nil {
			if !v.NoMovesWins {
				t.Errorf("%s: no combinations", v)
			}
			continue
		}
		rng := rand.New(rand.NewPCG(5, 8))
		found, compared := 0, 0
		for compared < 150 {
			g := rules.NewGame(v)
			for !g.Over() && g.Ply() < 60 && compared < 150 {
				p := g.Position()
				offers := 1 + rng.IntN(3)
				i, ok := c.find(p, offers)
				if c.left >= 0 && (g.Ply()+compared)%3 == 0 {
					compared++
					want, exists := plainCombination(v, p, offers)
					if i != want || ok != exists {
						t.Fatalf("%s: %s: move %d, %t, want %d, %t", v, v.FEN(p), i, ok, want, exists)
					}
				}
				if ok {
					found++
				}
				if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no combination in %d positions", v, compared)
		}
	}
}

// BenchmarkCombination looks for chains of two and of four offers in quiet positions from random
// play of international draughts, one position an operation.
func BenchmarkCombination(b *testing.B) {
	v := rules.International
	rng := rand.New(rand.NewPCG(3, 4))
	var all []rules.Position
	for len(all) < 256 {
		g := rules.NewGame(v)
		for !g.Over() && g.Ply() < 70 {
			if p := g.Position(); g.Ply() > 8 && !v.HasCaptures(p) {
				all = append(all, p)
			}
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, offers := range []int{fewOffers, mostOffers} {
		b.Run(fmt.Sprint("offers=", offers), func(b *testing.B) {
			c := newCombinations(v)
			i := 0
			for b.Loop() {
				c.find(all[i%len(all)], offers)
				i++
			}
		})
	}
}
