package arena

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// meet adds pairs of games between A and B with the given results.
func meet(pairs []RatedPair, a, b, first, second, count int) []RatedPair {
	for range count {
		pairs = append(pairs, RatedPair{a, b, first, second, len(pairs)})
	}
	return pairs
}

func mustRate(t *testing.T, n int, pairs []RatedPair, anchor *Anchor) Ratings {
	t.Helper()
	r, err := Rate(n, pairs, anchor, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRateTwoPlayers: with two players and many games the ratings equal the Elo of a match.
func TestRateTwoPlayers(t *testing.T) {
	var pairs []RatedPair
	var p Pentanomial
	for _, g := range []struct{ first, second, count int }{{2, 2, 625}, {2, 0, 375}, {0, 2, 125}, {2, 1, 500}, {1, 1, 250}, {0, 0, 125}} {
		pairs = meet(pairs, 0, 1, g.first, g.second, g.count)
		p[g.first+g.second] += g.count
	}
	// 625*4 + 500*2 + 500*3 + 250*2 = 5500 of 8000 points: 400 log10(0.6875/0.3125) = 136.97 Elo.
	r := mustRate(t, 2, pairs, nil)
	d := r.Difference(0, 1)
	if !near(d.Estimate, 136.97, 0.1) || !near(r.Elo[0].Estimate, d.Estimate/2, 1e-6) || !near(r.Elo[1].Estimate, -d.Estimate/2, 1e-6) {
		t.Errorf("difference %v, Elo %v; want 136.97", d, r.Elo)
	}
	e := p.Elo(0.95)
	if !near(d.High-d.Low, e.High-e.Low, 0.2) || r.Played[0] != p {
		t.Errorf("interval %v, that of the match is %v", d, e)
	}
	if !near(r.Expected(0, 1), 0.6875, 1e-3) || r.Superiority(0, 1) < 0.9999 || !near(r.Superiority(0, 1)+r.Superiority(1, 0), 1, 1e-12) {
		t.Errorf("expected %v, superiority %v", r.Expected(0, 1), r.Superiority(0, 1))
	}
	// White made 2*625+2*375+2*500+250 and 2*(375+125)+500+250: 5000 of 8000 halves: 400
	// log10(5/3) = 88.74.
	if !near(r.White.Estimate, 88.74, 0.01) || r.White.Low > r.White.Estimate || r.White.Low < 70 {
		t.Errorf("White %v, want 88.74", r.White)
	}
	// With an anchor all ratings are relative to it.
	a := mustRate(t, 2, pairs, &Anchor{Player: 1, Elo: 1000})
	if a.Elo[1] != (Interval{1000, 1000, 1000}) || !near(a.Elo[0].Estimate, 1000+d.Estimate, 1e-9) || !near(a.Elo[0].Low, 1000+d.Low, 1e-6) {
		t.Errorf("anchored: %v", a.Elo)
	}
}

// TestRateByHand: three players whose scores fit the model exactly get exactly the Elo of these
// scores: 190.85 for 3/4, and twice that for 9/10.
func TestRateByHand(t *testing.T) {
	var pairs []RatedPair
	for _, m := range []struct{ a, b, won, lost int }{{0, 1, 3000, 1000}, {1, 2, 3000, 1000}, {0, 2, 3600, 400}} {
		pairs = meet(pairs, m.a, m.b, 2, 2, m.won)
		pairs = meet(pairs, m.a, m.b, 0, 0, m.lost)
	}
	r := mustRate(t, 3, pairs, nil)
	for i, want := range []float64{190.85, 0, -190.85} {
		if !near(r.Elo[i].Estimate, want, 0.1) {
			t.Errorf("player %d: %v, want %v", i, r.Elo[i], want)
		}
	}
}

// TestRateDerivatives: the solution maximises the likelihood, and the gradient and the information
// are its derivatives.
func TestRateDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := ratingFit{n: 4}
	for range 30 {
		a := rng.IntN(4)
		f.groups = append(f.groups, group{scored{a, (a + 1 + rng.IntN(3)) % 4, rng.IntN(5)}, float64(1 + rng.IntN(5))})
	}
	x := make([]float64, f.n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	const h = 1e-5
	slope, up, down := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	f.gradient(slope, x)
	information := mat.NewSymDense(f.n, nil)
	f.hessian(information, x)
	for i := range x {
		at := x[i]
		x[i] = at + h
		high := f.value(x)
		f.gradient(up, x)
		x[i] = at - h
		low := f.value(x)
		f.gradient(down, x)
		x[i] = at
		if got := (high - low) / (2 * h); !near(got, slope[i], 1e-5*(1+math.Abs(got))) {
			t.Errorf("parameter %d: slope %v, by differences %v", i, slope[i], got)
		}
		for j := range x {
			if got := (up[j] - down[j]) / (2 * h); !near(got, information.At(i, j), 1e-5*(1+math.Abs(got))) {
				t.Errorf("information %d, %d: %v, by differences %v", i, j, information.At(i, j), got)
			}
		}
	}
	best, err := f.solve()
	if err != nil {
		t.Fatal(err)
	}
	top := f.value(best)
	for range 200 {
		y := make([]float64, len(x))
		for i := range y {
			y[i] = best[i] + 0.05*rng.NormFloat64()
		}
		if v := f.value(y); v < top {
			t.Fatalf("a neighbour is likelier: %v against %v", v, top)
		}
	}
}

// TestRateSplit: players that won all games, or lost all, have one-sided intervals.
func TestRateSplit(t *testing.T) {
	// 1 and 2 are equal; 0 has won all 20 pairs against each, 3 lost all.
	var pairs []RatedPair
	for _, g := range [][2]int{{2, 0}, {0, 2}, {1, 1}, {2, 1}, {0, 1}} {
		pairs = meet(pairs, 1, 2, g[0], g[1], 4)
	}
	for _, other := range []int{1, 2} {
		pairs = meet(pairs, 0, other, 2, 2, 20)
		pairs = meet(pairs, other, 3, 2, 2, 20)
	}
	r := mustRate(t, 4, pairs, nil)
	if r.Split[1] || r.Split[2] || !r.Split[0] || !r.Split[3] {
		t.Errorf("split: %v", r.Split)
	}
	if !math.IsInf(r.Elo[0].High, 1) || !math.IsInf(r.Elo[3].Low, -1) || math.IsInf(r.Elo[1].High, 1) || math.IsInf(r.Elo[1].Low, -1) {
		t.Errorf("Elo %v", r.Elo)
	}
	// 40 pairs won against equals: at a score of 0.025^(1/40) = 0.9119 so many would be rarer than
	// 2.5 %: 400 log10(0.9119/0.0881) = 405.97.
	if !near(r.Elo[0].Low, 405.97, 5) || r.Elo[0].Estimate < r.Elo[0].Low {
		t.Errorf("the lower end of all won is %v", r.Elo[0])
	}
	if !near(r.Elo[3].High, -r.Elo[0].Low, 5) {
		t.Errorf("the upper end of all lost is %v, of all won %v", r.Elo[3], r.Elo[0])
	}
	// Two players, and only draws.
	r = mustRate(t, 2, meet(nil, 0, 1, 1, 1, 20), nil)
	if d := r.Difference(0, 1); !near(d.Estimate, 0, 1e-6) || d.High < 5 || r.Split[0] {
		t.Errorf("all drawn: %v", d)
	}
	for _, bad := range []func() error{
		func() error { _, err := Rate(2, nil, nil, 0.95); return err },
		func() error { _, err := Rate(2, []RatedPair{{0, 2, 1, 1, 0}}, nil, 0.95); return err },
		func() error { _, err := Rate(2, []RatedPair{{0, 1, 1, 3, 0}}, nil, 0.95); return err },
		func() error { _, err := Rate(2, []RatedPair{{0, 1, 1, 1, 0}}, &Anchor{Player: 2}, 0.95); return err },
		func() error { _, err := Rate(2, []RatedPair{{0, 1, 1, 1, 0}}, nil, 1); return err },
	} {
		if bad() == nil {
			t.Error("nonsense is taken")
		}
	}
}

// field is a simulated tournament: players of known strength, openings that favour a side.
type field struct {
	theta  []float64
	nu     float64 // weight of draws: the higher, the more draws
	white  float64
	spread float64 // of the openings, in units of strength
	pairs  int     // between every two players
	hub    bool    // gauntlet: player 0 meets all others, who do not meet each other
}

func (f field) play(rng *rand.Rand, pairs int) []RatedPair {
	var all []RatedPair
	game := func(d float64) int { // R. Davidson, 1970: win : draw : loss = exp(d/2) : nu : exp(-d/2)
		win, draw, loss := math.Exp(d/2), f.nu, math.Exp(-d/2)
		win, draw = win/(win+draw+loss), draw/(win+draw+loss)
		switch x := rng.Float64(); {
		case x < win:
			return 2
		case x < win+draw:
			return 1
		}
		return 0
	}
	for opening := range pairs {
		bias := f.white + f.spread*rng.NormFloat64()
		for a := range f.theta {
			for b := a + 1; b < len(f.theta); b++ {
				if f.hub && a != 0 {
					continue
				}
				d := f.theta[a] - f.theta[b]
				all = append(all, RatedPair{a, b, game(d + bias), game(d - bias), opening})
			}
		}
	}
	return all
}

// TestRatingsCoverage simulates tournaments: the 95 % intervals of players, of their differences
// and of White's advantage cover the truth in 93 to 97 %. The truth comes from a very large number
// of games.
func TestRatingsCoverage(t *testing.T) {
	const runs = 800
	var wg sync.WaitGroup
	for name, f := range map[string]field{
		"round robin":         {theta: []float64{0.8, 0.3, 0, -0.2, -0.9}, nu: 1, pairs: 30},
		"drawish, White up":   {theta: []float64{1, 0.4, -0.4, -1}, nu: 6, white: 0.4, pairs: 60},
		"unbalanced openings": {theta: []float64{0.7, 0, -0.7}, nu: 1.5, spread: 2.5, pairs: 50},
		"gauntlet":            {theta: []float64{0.2, 0.6, 0, -0.5}, nu: 2, spread: 0.8, pairs: 40, hub: true},
		"two players":         {theta: []float64{0.3, -0.3}, nu: 1, spread: 0.5, pairs: 100},
		"many and few games":  {theta: []float64{1, 0.8, 0.5, 0.2, 0, -0.2, -0.5, -1}, nu: 1, spread: 0.5, pairs: 12},
	} {
		wg.Go(func() {
			exact, err := Rate(len(f.theta), f.play(rand.New(rand.NewPCG(1, 2)), 60_000/len(f.theta)), nil, 0.95)
			if err != nil {
				t.Error(err)
				return
			}
			players, differences, white := 0, 0, 0
			for run := range runs {
				r, err := Rate(len(f.theta), f.play(rand.New(rand.NewPCG(uint64(run), 7)), f.pairs), nil, 0.95)
				if err != nil {
					t.Error(err)
					return
				}
				covers := func(i Interval, truth float64) int {
					if i.Low <= truth && truth <= i.High {
						return 1
					}
					return 0
				}
				for i := range f.theta {
					players += covers(r.Elo[i], exact.Elo[i].Estimate)
				}
				for i := 1; i < len(f.theta); i++ {
					differences += covers(r.Difference(i-1, i), exact.Difference(i-1, i).Estimate)
				}
				white += covers(r.White, exact.White.Estimate)
			}
			for what, share := range map[string]float64{
				"players":     float64(players) / float64(runs*len(f.theta)),
				"differences": float64(differences) / float64(runs*(len(f.theta)-1)),
				"White":       float64(white) / float64(runs),
			} {
				t.Logf("%s: %s covered in %.2f %%", name, what, 100*share)
				if share < 0.93 || share > 0.97 {
					t.Errorf("%s: %s covered in %.2f %%", name, what, 100*share)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkRate(b *testing.B) {
	f := field{theta: make([]float64, 20), nu: 1, spread: 0.5}
	for i := range f.theta {
		f.theta[i] = float64(i) / 10
	}
	pairs := f.play(rand.New(rand.NewPCG(1, 1)), 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Rate(20, pairs, nil, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
