package arena

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestPentanomialByHand(t *testing.T) {
	// 10 pairs with scores 0, .25, .5 (x4), .75 (x3), 1: sum 5.5, mean 0.55; squared distances
	// .3025 + .09 + 4*.0025 + 3*.04 + .2025 = .725, over 9 = .0805556.
	p := Pentanomial{1, 1, 4, 3, 1}
	mean, variance := p.moments()
	if !near(mean, 0.55, 1e-12) || !near(variance, 0.725/9, 1e-12) {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
	// Student's t with 9 degrees of freedom: 2.262157 at 97.5 % (table).
	wide := 2.262157 * math.Sqrt(0.725/9/10)
	s := p.ScoreInterval(0.95)
	if !near(s.Low, 0.55-wide, 1e-6) || !near(s.High, 0.55+wide, 1e-6) || s.Estimate != mean {
		t.Errorf("interval %+v, want 0.55 ± %v", s, wide)
	}
	// 400 log10(0.55/0.45) = 34.86007
	if e := p.Elo(0.95); !near(e.Estimate, 34.86007, 1e-3) || !near(e.High, EloOf(0.55+wide), 1e-3) {
		t.Errorf("Elo %+v", e)
	}
	// t = 0.05/sqrt(2*.0805556) = 0.124568; times 800/ln 10 = 347.4356: 43.2794
	if n := p.NormalizedElo(); !near(n, 43.2794, 1e-3) {
		t.Errorf("normalised Elo %v", n)
	}
	// z = 0.05/sqrt(.0805556/10) = 0.557086; the normal law gives 0.711266.
	if l := p.LikelihoodOfSuperiority(); !near(l, 0.711266, 1e-5) {
		t.Errorf("probability %v", l)
	}
	if r := p.PairDrawRatio(); r != 0.4 {
		t.Errorf("pair-draw ratio %v", r)
	}
}

func TestPentanomialExtremes(t *testing.T) {
	if s := (Pentanomial{}).ScoreInterval(0.95); s != (Interval{0, 0.5, 1}) {
		t.Errorf("no pair: %+v", s)
	}
	// 20 won pairs: at a score below 0.025^(1/20) = 0.8316 so many wins would be rarer than 2.5 %.
	s := Pentanomial{4: 20}.ScoreInterval(0.95)
	if !near(s.Low, 0.831566, 1e-5) || s.High != 1 {
		t.Errorf("all won: %+v", s)
	}
	e := Pentanomial{0: 20}.Elo(0.95)
	if !math.IsInf(e.Low, -1) || !math.IsInf(e.Estimate, -1) || math.IsInf(e.High, 0) {
		t.Errorf("all lost: %+v", e)
	}
	if l := (Pentanomial{2: 5}).LikelihoodOfSuperiority(); l != 0.5 {
		t.Errorf("all drawn: %v", l)
	}
	for _, elo := range []float64{-400, -70, 0, 5, 191} {
		if back := EloOf(1 / (1 + math.Pow(10, -elo/400))); !near(back, elo, 1e-9) {
			t.Errorf("%v comes back as %v", elo, back)
		}
	}
}

func TestSPRTByHand(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 50}
	// Wald's bounds at 5 %: ln(0.05/0.95) = -2.944439 and its opposite.
	low, high := s.Bounds()
	if !near(low, -2.944439, 1e-6) || !near(high, 2.944439, 1e-6) {
		t.Errorf("bounds %v, %v", low, high)
	}
	// A result half-way between the bounds is about as likely under both. For a normal law with
	// unknown variance the log-likelihood ratio is n/2 ln((1+(t-t0)^2)/(1+(t-t1)^2)); with many
	// pairs the exact ratio is close to it.
	p := Pentanomial{30, 90, 200, 110, 40}
	mean, variance := p.moments()
	tt, t1 := (mean-0.5)/math.Sqrt(variance), 50/nEloPerT*math.Sqrt2
	want := float64(p.Pairs()) / 2 * math.Log((1+tt*tt)/(1+(tt-t1)*(tt-t1)))
	if got := s.LLR(p); !near(got, want, 0.1) {
		t.Errorf("LLR %v, by the normal law %v", got, want)
	}
	// With the players exchanged it is the opposite test.
	q := Pentanomial{p[4], p[3], p[2], p[1], p[0]}
	if a, b := s.LLR(p), (SPRT{Elo0: -50, Elo1: 0}).LLR(q); !near(a, -b, 1e-6) {
		t.Errorf("LLR %v, from the other side %v", a, b)
	}
	for _, c := range []struct {
		pairs Pentanomial
		want  Verdict
	}{
		{Pentanomial{}, Inconclusive},
		{Pentanomial{0, 1, 2, 1, 0}, Inconclusive},
		{Pentanomial{0, 0, 0, 0, 30}, Accepted},
		{Pentanomial{0, 0, 10, 40, 30}, Accepted},
		{Pentanomial{30, 0, 0, 0, 0}, Rejected},
		{Pentanomial{0, 0, 400, 0, 0}, Rejected}, // computed below
		{Pentanomial{20, 100, 200, 100, 20}, Rejected},
	} {
		if got := s.Verdict(c.pairs); got != c.want {
			t.Errorf("%v: %s (LLR %v), want %s", c.pairs, got, s.LLR(c.pairs), c.want)
		}
	}
	// All pairs drawn: the likeliest distribution of normalised Elo 50 wins both games in a share
	// x of the pairs, sqrt(x/(1-x)) = t1, so the ratio is near n ln(1 - t1^2); a trace of other
	// results was added.
	if got, want := s.LLR(Pentanomial{0, 0, 400, 0, 0}), 400*math.Log(1-t1*t1); !near(got, want, 1) {
		t.Errorf("all drawn: LLR %v, want %v", got, want)
	}
	for _, bad := range []SPRT{{Elo0: 5, Elo1: 5}, {Elo0: 9, Elo1: 0}, {Elo1: math.Inf(1)}, {Elo1: 5, Alpha: 0.5}, {Elo1: 5, Beta: -1}, {Elo0: math.NaN(), Elo1: 1}, {Elo1: 5, Alpha: math.NaN()}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestMostLikely checks the constrained maximum: it satisfies the constraint, and no neighbour
// that satisfies it is more likely.
func TestMostLikely(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		var seen [5]float64
		sum := 0.0
		for i := range seen {
			seen[i] = rng.Float64() + 0.01
			sum += seen[i]
		}
		for i := range seen {
			seen[i] /= sum
		}
		want := (rng.Float64() - 0.5) / 2
		p := mostLikely(seen, want)
		total, mean, square := 0.0, 0.0, 0.0
		for i, x := range p {
			a := float64(i) / 4
			total, mean, square = total+x, mean+x*a, square+x*a*a
		}
		if got := (mean - 0.5) / math.Sqrt(square-mean*mean); !near(total, 1, 1e-6) || !near(got, want, 1e-5) {
			t.Fatalf("%v: total %v, t %v; want 1 and %v", seen, total, got, want)
		}
		likelihood := func(q [5]float64) float64 {
			l := 0.0
			for i := range q {
				l += seen[i] * math.Log(q[i])
			}
			return l
		}
		top := likelihood(p)
		for range 20 {
			// Another distribution with the same t: a mixture with noise, which a second call
			// moves back to t.
			var q [5]float64
			s := 0.0
			for i := range q {
				q[i] = p[i] * math.Exp(0.1*rng.NormFloat64())
				s += q[i]
			}
			for i := range q {
				q[i] /= s
			}
			if l := likelihood(mostLikely(q, want)); l > top+1e-9 {
				t.Fatalf("%v: likelihood %v, a neighbour has %v", seen, top, l)
			}
		}
	}
}

// source is a law of pairs of games: the expected score of both games of a pair is shifted by
// their opening, for White and for A. A game is won above cut and lost below -cut, for a normal
// deviate.
type source struct {
	cut   float64 // the higher, the more draws
	shift float64 // for A
	// Standard deviation of the opening's advantage for White: correlates the games of a pair
	// negatively.
	spread float64
	// Standard deviation of its advantage for A in both games: correlates them positively.
	taste float64
}

// law holds the probabilities of the points of a pair, 0 to 4 halves.
type law [5]float64

// law returns the law of the source, integrated over the openings.
func (s source) law() law {
	const steps, reach = 60, 4.5
	var nodes [steps + 1]struct{ x, weight float64 }
	for i := range nodes {
		x := reach * (2*float64(i)/steps - 1)
		nodes[i] = struct{ x, weight float64 }{x, math.Exp(-x * x / 2)}
	}
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	game := func(shift float64) [3]float64 {
		loss, win := normal(-s.cut-shift), normal(shift-s.cut)
		return [3]float64{loss, 1 - loss - win, win}
	}
	var l law
	total := 0.0
	for _, bias := range nodes {
		for _, liking := range nodes {
			w := bias.weight * liking.weight
			common := s.shift + s.taste*liking.x
			first, second := game(common+s.spread*bias.x), game(common-s.spread*bias.x)
			for i, p := range first {
				for j, q := range second {
					l[i+j] += w * p * q
				}
			}
			total += w
		}
	}
	for i := range l {
		l[i] /= total
	}
	return l
}

// truth returns the expected score, the Elo and the normalised Elo.
func (l law) truth() (score, elo, nelo float64) {
	square := 0.0
	for i, p := range l {
		a := float64(i) / 4
		score += p * a
		square += p * a * a
	}
	return score, EloOf(score), (score - 0.5) / math.Sqrt(2*(square-score*score)) * nEloPerT
}

// pair draws the points of a pair.
func (l law) pair(rng *rand.Rand) int {
	x := rng.Float64()
	for i, p := range l {
		if x -= p; x < 0 {
			return i
		}
	}
	return 4
}

// with returns the source whose shift is chosen so that measure returns want for its law. measure
// must rise with the shift.
func (s source) with(want float64, measure func(law) float64) law {
	low, high := -4.0, 4.0
	for range 50 {
		s.shift = (low + high) / 2
		if measure(s.law()) < want {
			low = s.shift
		} else {
			high = s.shift
		}
	}
	return s.law()
}

func neloOf(l law) float64 { _, _, n := l.truth(); return n }
func eloOf(l law) float64  { _, e, _ := l.truth(); return e }

// TestLaws: sampled pairs have the Elo that is computed from their law.
func TestLaws(t *testing.T) {
	for _, s := range []source{{cut: 0.7, spread: 0.4}, {cut: 1.6, spread: 0.3, taste: 0.2}, {cut: 0.1, spread: 1, taste: 0.5}} {
		l := s.with(60, eloOf)
		rng := rand.New(rand.NewPCG(1, 2))
		var p Pentanomial
		for range 400_000 {
			p[l.pair(rng)]++
		}
		_, elo, nelo := l.truth()
		if got := p.Elo(0.95).Estimate; !near(elo, 60, 1e-6) || !near(got, elo, 2.5) || !near(p.NormalizedElo(), nelo, 2.5) {
			t.Errorf("%+v: Elo %v, normalised %v; drawn %v and %v", s, elo, nelo, got, p.NormalizedElo())
		}
	}
}

// TestSPRTErrors simulates 2,000 tests at either bound for games of many kinds: at most 6.5 % end
// with the wrong verdict.
func TestSPRTErrors(t *testing.T) {
	const runs, cap = 2000, 600
	test := SPRT{Elo0: 0, Elo1: 50}
	for _, s := range []source{
		{cut: 0.7, spread: 0.4},
		{cut: 1.6, spread: 0.3}, // five games of six are drawn
		// Decisive games from unbalanced openings: the colour decides.
		{cut: 0.1, spread: 1},
		{cut: 0.7, spread: 0.1, taste: 0.7}, // openings that suit a player, with either colour
	} {
		for _, c := range []struct {
			nelo  float64
			wrong Verdict
		}{{0, Accepted}, {50, Rejected}} {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				l := s.with(c.nelo, neloOf)
				wrong, open, pairs := 0, 0, 0
				for run := range runs {
					rng := rand.New(rand.NewPCG(uint64(run), 11))
					var p Pentanomial
					verdict := Inconclusive
					for p.Pairs() < cap && verdict == Inconclusive {
						p[l.pair(rng)]++
						verdict = test.Verdict(p)
					}
					pairs += p.Pairs()
					if verdict == c.wrong {
						wrong++
					}
					if verdict == Inconclusive {
						open++
					}
				}
				t.Logf("%+v, pairs %.3f: normalised Elo %v: %.2f %% wrong, %.1f %% inconclusive, %.0f games on average", s, l, c.nelo,
					100*float64(wrong)/runs, 100*float64(open)/runs, 2*float64(pairs)/runs)
				if float64(wrong)/runs > 0.065 || float64(open)/runs > 0.1 {
					t.Errorf("%+v: %d wrong and %d inconclusive of %d", s, wrong, open, runs)
				}
			})
		}
	}
}

// TestIntervalCoverage simulates 4,000 matches for each of many kinds of games: the 95 % interval
// covers the true Elo in 93 to 97 %.
func TestIntervalCoverage(t *testing.T) {
	const runs = 4000
	for _, c := range []struct {
		pairs int
		elo   float64
		s     source
	}{
		{100, 0, source{cut: 0.7, spread: 0.4}},
		{100, 150, source{cut: 0.7, spread: 0.4}},
		{600, 10, source{cut: 0.7, spread: 0.4}},
		{100, 15, source{cut: 1.5, spread: 0.2}},            // drawish
		{50, -80, source{cut: 0.2, spread: 1}},              // decisive, unbalanced openings
		{50, 40, source{cut: 0.6, spread: 0.1, taste: 0.8}}, // openings that suit a player
		{200, -40, source{cut: 1.8, spread: 1, taste: 0.2}}, // drawish but for the openings
		{20, 0, source{cut: 0.5, spread: 0.5}},              // few games
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			l := c.s.with(c.elo, eloOf)
			covered, above := 0, 0
			for run := range runs {
				rng := rand.New(rand.NewPCG(uint64(run), 5))
				var p Pentanomial
				for range c.pairs {
					p[l.pair(rng)]++
				}
				switch i := p.Elo(0.95); {
				case i.High < c.elo:
				case i.Low > c.elo:
					above++
				default:
					covered++
				}
			}
			share := float64(covered) / runs
			t.Logf("%d pairs, Elo %v, %+v, pairs %.3f: covered in %.2f %%, above %.2f %%", c.pairs, c.elo, c.s, l, 100*share, 100*float64(above)/runs)
			if share < 0.93 || share > 0.97 {
				t.Errorf("%d pairs, Elo %v, %+v: covered in %.2f %%", c.pairs, c.elo, c.s, 100*share)
			}
		})
	}
}
