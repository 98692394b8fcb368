package rules

import (
	"math/rand/v2"
	"testing"
)

// withoutFast returns v with the plain generator alone.
func withoutFast(v *Variant) *Variant {
	w := *v
	w.fast, w.pair = nil, nil
	return &w
}

// TestEveryVariantIsFast: a change to a fact must not send a variant back to the plain generator
// unseen.
func TestEveryVariantIsFast(t *testing.T) {
	for _, v := range familyVariants(t) {
		if fast := v.fast != nil || v.pair != nil; fast != (v.Options["crown"] != "at-once") {
			t.Errorf("%s has a fast generator: %t", v, fast)
		}
	}
}

// TestPlainTwins compares the plain generator, which then serves variants of other facts, with the
// slow one and its count of leaves with the fast one's.
func TestPlainTwins(t *testing.T) {
	n := 300
	if long() {
		n = 5000
	}
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(24, uint64(n)))
		w := withoutFast(v)
		for i := range n {
			p := randomGamePosition(v, rng)
			if i%2 == 0 {
				p = randomPosition(v, rng, v.Board.Squares()/5, 0.3)
			}
			compareTwins(t, w, p)
			if got, want := v.Perft(p, 2), w.Perft(p, 2); got != want {
				t.Fatalf("%s: %s: %d leaves at depth 2, plain %d", v, v.FEN(p), got, want)
			}
		}
	}
}

// TestFamilyPerftTwins compares the counts of leaves at depth 3 where captures and kings abound.
func TestFamilyPerftTwins(t *testing.T) {
	n := 5
	if long() {
		n = 100
	}
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(25, uint64(n)))
		for range n {
			p := randomPosition(v, rng, v.Board.Squares()/8, 0.3)
			if got, want := v.Perft(p, 3), v.perftReference(p, 3); got != want {
				t.Fatalf("%s: %s at depth 3: %d leaves, the slow twin has %d", v, v.FEN(p), got, want)
			}
		}
	}
}

// TestFlyingJumps compares where flying kings can capture with a walk along each line, square by
// square.
func TestFlyingJumps(t *testing.T) {
	for _, c := range []struct {
		variant string
		jumps   func(prey, empty uint64) [8]uint64
		along   []Direction
	}{
		{"international", flyingJumps[internationalRules], Diagonals},
		{"frisian", flyingJumps[frisianRules], EveryDirection},
		{"brazilian", flyingJumps[brazilianRules], Diagonals},
		{"turkish", flyingJumps[turkishRules], Orthogonals},
	} {
		rng := rand.New(rand.NewPCG(27, 27))
		v := with(t, c.variant, "")
		for range 500 {
			p := randomPosition(v, rng, 1+rng.IntN(v.Board.Squares()/3), 0.5)
			s := sideOf(&p)
			empty := v.fast.empty(s)
			got := c.jumps(s.their, empty)
			for at := Square(1); int(at) <= v.Board.Squares(); at++ {
				for _, d := range c.along {
					next := v.Board.Neighbour(at, d)
					for next != NoSquare && empty&v.Board.Set(next).Lo != 0 {
						next = v.Board.Neighbour(next, d)
					}
					want := false
					if next != NoSquare && s.their&v.Board.Set(next).Lo != 0 {
						behind := v.Board.Neighbour(next, d)
						want = behind != NoSquare && empty&v.Board.Set(behind).Lo != 0
					}
					if got := got[d]&v.Board.Set(at).Lo != 0; got != want {
						t.Fatalf("%s: %s: a king of %v on %d captures in direction %d: %t, want %t", v, v.FEN(p), p.Turn, at, d, got, want)
					}
				}
			}
		}
	}
}

// TestFastAllocation: counting makes no garbage.
func TestFastAllocation(t *testing.T) {
	for _, v := range familyVariants(t) {
		if v.fast == nil && v.pair == nil {
			continue
		}
		rng := rand.New(rand.NewPCG(26, 26))
		positions := []Position{v.Start()}
		for range 10 {
			positions = append(positions, randomPosition(v, rng, 5, 0.3))
		}
		if n := testing.AllocsPerRun(2, func() {
			for _, p := range positions {
				v.CountMoves(p)
				v.Perft(p, 3)
			}
		}); n != 0 {
			t.Errorf("%s: %.0f allocations", v, n)
		}
	}
}
