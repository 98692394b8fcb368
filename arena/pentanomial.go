package arena

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pentanomial counts pairs of games by A's points in the two games: 0, 1/2, 1, 3/2 and 2.
type Pentanomial [5]int

// Add counts a pair from the results of its two games for A, each 0 (loss), 1 (draw) or 2 (win).
func (p *Pentanomial) Add(first, second int) { p[first+second]++ }

// Pairs returns the number of pairs.
func (p Pentanomial) Pairs() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Score returns A's mean score in [0,1], one half when there is no pair.
func (p Pentanomial) Score() float64 {
	mean, _ := p.moments()
	return mean
}

// moments returns the mean and the variance of a pair's score, half of its points, in [0,1]. The
// variance is the unbiased estimate, 0 for fewer than two pairs.
func (p Pentanomial) moments() (mean, variance float64) {
	n := float64(p.Pairs())
	if n == 0 {
		return 0.5, 0
	}
	for i, c := range p {
		mean += float64(c) * float64(i) / 4
	}
	mean /= n
	if n < 2 {
		return mean, 0
	}
	for i, c := range p {
		d := float64(i)/4 - mean
		variance += float64(c) * d * d
	}
	return mean, variance / (n - 1)
}

// Interval is an estimate and the ends of its confidence interval.
type Interval struct{ Low, Estimate, High float64 }

// ScoreInterval returns A's score, with the interval that contains the true score with the given
// confidence, usually 0.95: Student's t over the pairs. If all pairs have the same score there is
// no variance. The ends are then the scores at which such a result would have probability
// (1-confidence)/2, if every pair were won or lost as a whole; so even a match with only wins has
// a lower end below 1. Without pairs the interval is [0, 1].
func (p Pentanomial) ScoreInterval(confidence float64) Interval {
	n := float64(p.Pairs())
	mean, variance := p.moments()
	if n == 0 {
		return Interval{0, 0.5, 1}
	}
	tail := (1 - confidence) / 2
	if variance == 0 {
		wide := 1 - math.Pow(tail, 1/n)
		return Interval{max(0, mean-wide), mean, min(1, mean+wide)}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - tail)
	wide := t * math.Sqrt(variance/n)
	return Interval{max(0, mean-wide), mean, min(1, mean+wide)}
}

// Elo returns the Elo difference of A over B with its interval: that of
// [Pentanomial.ScoreInterval], converted by [EloOf]. The ends may be infinite.
func (p Pentanomial) Elo(confidence float64) Interval {
	s := p.ScoreInterval(confidence)
	return Interval{EloOf(s.Low), EloOf(s.Estimate), EloOf(s.High)}
}

// NormalizedElo returns the estimate of the normalised Elo difference: the mean score minus one
// half, divided by the standard deviation of a game's score, times 800/ln 10 (M. Van den Bergh,
// Normalized Elo, 2021). Unlike Elo it does not depend on the share of draws. It is infinite if
// the variance is 0, and 0 for fewer than two pairs.
func (p Pentanomial) NormalizedElo() float64 {
	mean, variance := p.moments()
	if p.Pairs() < 2 || mean == 0.5 {
		return 0
	}
	// A pair's score is the mean of two games, so the variance of a game is twice as large.
	return (mean - 0.5) / math.Sqrt(2*variance) * nEloPerT
}

// PairDrawRatio returns the share of pairs that ended 1-1 in points.
func (p Pentanomial) PairDrawRatio() float64 {
	if p.Pairs() == 0 {
		return 0
	}
	return float64(p[2]) / float64(p.Pairs())
}

// LikelihoodOfSuperiority returns the probability, by the normal distribution, that A is the
// stronger player.
func (p Pentanomial) LikelihoodOfSuperiority() float64 {
	mean, variance := p.moments()
	n := float64(p.Pairs())
	switch {
	case n == 0 || mean == 0.5:
		return 0.5
	case variance == 0 && mean > 0.5:
		return 1
	case variance == 0:
		return 0
	}
	return distuv.UnitNormal.CDF((mean - 0.5) / math.Sqrt(variance/n))
}

// EloOf returns the Elo difference at which the expected score is s: 400 log10(s/(1-s)), infinite
// at 0 and 1.
func EloOf(s float64) float64 {
	switch {
	case s <= 0:
		return math.Inf(-1)
	case s >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(s/(1-s))
}
