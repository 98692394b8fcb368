package journal

import (
	"math"
	"testing"
)

// Against one opponent without the weak prior the estimate would be the logistic formula; with it,
// it is that within its weight.
func TestEstimate(t *testing.T) {
	one := func(seen ...observation) (elo, half float64) {
		x, covariance := estimate(1, seen)
		return x[0], 1.96 * math.Sqrt(covariance.At(0, 0))
	}
	rung := func(elo, games, score float64) observation { return observation{0, ladder, elo, games, score} }
	for _, c := range []struct{ score, want, within float64 }{
		{0.5, 100, 0.5},
		{0.75, 100 + 190.8, 4}, // 400 log10(0.75/0.25)
		{0.25, 100 - 190.8, 4},
		{0.9, 100 + 381.7, 10},
	} {
		if elo, half := one(rung(100, 200, 200*c.score)); math.Abs(elo-c.want) > c.within || !(half > 0) {
			t.Errorf("score %g: %g ± %g, want %g", c.score, elo, half, c.want)
		}
	}
	// Two opponents 200 apart, a score of one half against both: in the middle.
	if elo, _ := one(rung(0, 40, 20), rung(200, 40, 20)); math.Abs(elo-100) > 0.5 {
		t.Errorf("%g, want 100", elo)
	}
	// 1.96/sqrt(n p (1-p) k^2) at p = 1/2, n = 200: 1.96/(0.5 sqrt(200) ln(10)/400) = 48.15; the
	// prior makes it a little less.
	if _, half := one(rung(0, 200, 100)); half > 48.2 || half < 47.9 {
		t.Errorf("half an interval is %g, want 48.1", half)
	}
	last := math.Inf(-1)
	for points := 0.0; points <= 24; points++ {
		elo, half := one(rung(0, 24, points))
		if math.IsNaN(half) || math.IsInf(elo, 0) || math.IsInf(half, 0) || elo <= last {
			t.Errorf("%g points of 24: %g ± %g after %g", points, elo, half, last)
		}
		last = elo
	}
}

// Networks that met each other are rated together: the second has played no rung, and stands as far
// above the first as its score says.
func TestEstimateTogether(t *testing.T) {
	x, covariance := estimate(2, []observation{{0, ladder, 300, 400, 200}, {1, 0, 0, 400, 300}})
	if math.Abs(x[0]-300) > 1 || math.Abs(x[1]-300-190.8) > 2 {
		t.Errorf("%v", x)
	}
	// The difference has the variance of its match alone, 1/(400 p (1-p) k^2) at p = 3/4, the second
	// network that of both.
	difference := covariance.At(0, 0) + covariance.At(1, 1) - 2*covariance.At(0, 1)
	want := 1 / (400 * 0.1875 * math.Pow(math.Ln10/400, 2))
	if math.Abs(difference/want-1) > 0.02 || math.Abs(covariance.At(1, 1)/(covariance.At(0, 0)+want)-1) > 0.02 {
		t.Errorf("a variance of %g, want %g; %g and %g", difference, want, covariance.At(0, 0), covariance.At(1, 1))
	}
	// Far apart, and every game won: still finite.
	x, covariance = estimate(3, []observation{{0, ladder, 0, 24, 24}, {0, ladder, 1000, 24, 0}, {1, 0, 0, 200, 200}, {2, 1, 0, 200, 200}})
	for i := range x {
		if v := covariance.At(i, i); math.IsNaN(x[i]+v) || math.IsInf(x[i]+v, 0) || i > 0 && x[i] < x[i-1]+400 {
			t.Errorf("%v: variance %g", x, v)
		}
	}
}

// A network that beats the one before gains, though both beat the rungs alike; with the weight that
// draws give a match, the gain is known better than the Elo of either.
func TestRateTogether(t *testing.T) {
	rungs := []RungResult{result("alphabeta:depth=6", 22, 1, 1)}
	ratings := []*Rating{
		{Generation: 10, Rungs: rungs},
		{Generation: 20, Rungs: rungs, Gate: &GateResult{Against: 10, Wins: 70, Draws: 100, Losses: 30, Low: 0.56, High: 0.64}},
		{Generation: 30, Rungs: rungs, Gate: &GateResult{Against: 20, Wins: 60, Draws: 100, Losses: 40, Low: 0.51, High: 0.59}},
		{Generation: 30, Refit: true, Gate: &GateResult{Against: 20, Wins: 60, Draws: 100, Losses: 40, Low: 0.51, High: 0.59},
			Own: &GateResult{Against: 30, Wins: 70, Draws: 100, Losses: 30, Low: 0.56, High: 0.64}},
	}
	ratings = append(ratings, &Rating{Generation: 40, Rungs: rungs, Gate: &GateResult{Against: 30, Wins: 60, Draws: 100, Losses: 40, Low: 0.51, High: 0.59}})
	Rate("international", ratings)
	for i, r := range ratings {
		if !r.Rated() || (r.Gain == nil) != (i == 0) || (r.Total == nil) != (i == 0) {
			t.Fatalf("%d: %+v", i, r)
		}
	}
	for i, want := range []struct {
		gain  float64
		since int
	}{{}, {70, 10}, {35, 20}, {70, 30}, {35, 30}} {
		r := ratings[i]
		if i == 0 {
			continue
		}
		if r.Gain.Since != want.since || math.Abs(r.Gain.Elo-want.gain) > 4 || r.Gain.Half > 36 || r.Gain.Half < 18 {
			t.Errorf("%d: %v, want %+.0f", i, r.Gain, want.gain)
		}
		if r.Total.Since != 10 || math.Abs(r.Total.Elo-(r.Elo-ratings[0].Elo)) > 1e-9 || (r.High-r.Low)/2 < r.Gain.Half {
			t.Errorf("%d: %v, Elo %.0f to %.0f", i, r.Total, r.Low, r.High)
		}
	}
	// No rung of known Elo anywhere: no Elo.
	alone := []*Rating{{Generation: 1}, {Generation: 2, Gate: ratings[1].Gate}}
	alone[1].Gate.Against = 1
	Rate("international", alone)
	if alone[0].Rated() || alone[1].Rated() || alone[1].Gain != nil {
		t.Errorf("%+v, %+v", alone[0], alone[1])
	}
}

func TestRate(t *testing.T) {
	one := []RungResult{result("random", 24, 0, 0), result("alphabeta:depth=1", 6, 12, 6)}
	rated := func(variant string, rungs []RungResult) Rating {
		r := Rating{Rungs: rungs}
		Rate(variant, []*Rating{&r})
		return r
	}
	if r := rated("international", one); math.Abs(r.Elo) > 1 || r.Low > 0 || r.High < 0 || !r.Rated() {
		t.Errorf("even with depth 1: %+v", r)
	}
	if r := rated("international", one[:1]); r.Rated() || r.Elo != 0 || r.Low != 0 || r.High != 0 {
		t.Errorf("without a rated rung: %+v", r)
	}
	if r := rated("no such game", one); r.Rated() {
		t.Errorf("a variant without a ladder: %+v", r)
	}
}

func result(rung string, wins, draws, losses int) RungResult {
	n := float64(wins + draws + losses)
	return RungResult{Rung: rung, Wins: wins, Draws: draws, Losses: losses, Score: (float64(wins) + float64(draws)/2) / n}
}
