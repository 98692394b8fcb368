package arena

import (
	"fmt"
	"math"
)

// nEloPerT is the normalised Elo of one unit of t, which is the mean score minus one half in
// standard deviations of a game's score (M. Van den Bergh, Normalized Elo, 2021).
const nEloPerT = 800 / math.Ln10

// Verdict is the verdict of a test.
type Verdict uint8

// The verdicts.
const (
	Inconclusive Verdict = iota // neither hypothesis is accepted yet
	Accepted                    // A is stronger than B, by Elo1 rather than Elo0
	Rejected                    // A is not stronger: Elo0 rather than Elo1
)

// String returns "inconclusive", "accepted" or "rejected".
func (v Verdict) String() string { return [...]string{"inconclusive", "accepted", "rejected"}[v] }

// SPRT is a generalised sequential probability ratio test over pairs of games, of H0 (the
// normalised Elo difference is Elo0) against H1 (it is Elo1).
type SPRT struct {
	Elo0, Elo1 float64 // normalised Elo, Elo0 < Elo1
	// Alpha is the probability to accept if Elo0 is true, Beta that to reject if Elo1 is true:
	// both in (0, 0.5). Zero means 0.05.
	Alpha, Beta float64
}

// Validate returns an error that names the first bad field.
func (s SPRT) Validate() error {
	switch {
	case !(s.Elo0 < s.Elo1) || math.IsInf(s.Elo0, 0) || math.IsInf(s.Elo1, 0):
		return fmt.Errorf("SPRT bounds %g,%g: the first must be below the second", s.Elo0, s.Elo1)
	case !(s.Alpha >= 0 && s.Alpha < 0.5):
		return fmt.Errorf("SPRT alpha %g is not in (0, 0.5)", s.Alpha)
	case !(s.Beta >= 0 && s.Beta < 0.5):
		return fmt.Errorf("SPRT beta %g is not in (0, 0.5)", s.Beta)
	}
	return nil
}

// Bounds returns the log-likelihood ratios at which the test rejects and accepts (A. Wald, 1945).
func (s SPRT) Bounds() (reject, accept float64) {
	alpha, beta := s.Alpha, s.Beta
	if alpha == 0 {
		alpha = 0.05
	}
	if beta == 0 {
		beta = 0.05
	}
	return math.Log(beta / (1 - alpha)), math.Log((1 - beta) / alpha)
}

// Verdict returns the verdict of the test after these pairs.
func (s SPRT) Verdict(p Pentanomial) Verdict {
	reject, accept := s.Bounds()
	switch llr := s.LLR(p); {
	case llr >= accept:
		return Accepted
	case llr <= reject:
		return Rejected
	}
	return Inconclusive
}

// LLR returns the logarithm of the ratio of the likelihoods of H1 and H0. The likelihood of a
// hypothesis is that of the most likely distribution of pair scores with its normalised Elo.
func (s SPRT) LLR(p Pentanomial) float64 {
	n := p.Pairs()
	if n == 0 {
		return 0
	}
	// A small count for every score keeps the likelihoods finite.
	const trace = 1e-3
	var seen [5]float64
	total := 0.0
	for i, c := range p {
		seen[i] = max(float64(c), trace)
		total += seen[i]
	}
	for i := range seen {
		seen[i] /= total
	}
	// The t of a pair's score is that of a game times the square root of two.
	p0 := mostLikely(seen, s.Elo0/nEloPerT*math.Sqrt2)
	p1 := mostLikely(seen, s.Elo1/nEloPerT*math.Sqrt2)
	llr := 0.0
	for i := range seen {
		llr += seen[i] * math.Log(p1[i]/p0[i])
	}
	return llr * float64(n)
}

// mostLikely returns the distribution over the pair scores 0, 1/4 .. 1 that makes the frequencies
// seen most likely among those with (mean - 1/2) / deviation = t.
//
// With a Lagrange multiplier x the solution is seen[i] / (1 + x*g[i]), where g is the gradient of
// the constraint, shifted so that its mean is the constraint itself: g[i] = a[i] - 1/2 - t*dev*(1
// + ((a[i]-mean)/dev)^2)/2. mean and dev are those of the solution, so it is iterated to its fixed
// point.
func mostLikely(seen [5]float64, t float64) [5]float64 {
	p := [5]float64{0.2, 0.2, 0.2, 0.2, 0.2}
	for range 50 {
		mean, square := 0.0, 0.0
		for i := range p {
			a := float64(i) / 4
			mean += p[i] * a
			square += p[i] * a * a
		}
		dev := math.Sqrt(max(square-mean*mean, 1e-12))
		var g [5]float64
		for i := range g {
			a := float64(i) / 4
			z := (a - mean) / dev
			g[i] = a - 0.5 - t*dev*(1+z*z)/2
		}
		x := multiplier(seen, g)
		change := 0.0
		for i := range p {
			q := seen[i] / (1 + x*g[i])
			change = max(change, math.Abs(q-p[i]))
			p[i] = q
		}
		if change < 1e-9 {
			break
		}
	}
	return p
}

// multiplier solves sum seen[i]*g[i]/(1+x*g[i]) = 0 for the x that keeps every denominator
// positive. The sum decreases with x. If all g have the same sign there is no solution, and it
// returns 0.
func multiplier(seen, g [5]float64) float64 {
	least, most := g[0], g[0]
	for _, v := range g[1:] {
		least, most = min(least, v), max(most, v)
	}
	if least >= 0 || most <= 0 {
		return 0
	}
	low, high := -1/most, -1/least
	x := 0.0
	for range 100 {
		f, slope := 0.0, 0.0
		for i := range g {
			d := g[i] / (1 + x*g[i])
			f += seen[i] * d
			slope -= seen[i] * d * d
		}
		if f > 0 {
			low = x
		} else {
			high = x
		}
		next := x - f/slope // Newton, kept inside the bracket
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-x) < 1e-13*(1+math.Abs(x)) {
			return next
		}
		x = next
	}
	return x
}
