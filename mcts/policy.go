package mcts

import (
	"math"

	"damier/rules"
)

// improvedPolicy writes to dst the policy of a search with cfg: a probability in [0,1] for each root
// move, sum 1.
//
// For the Gumbel rule it is softmax(logits + sigma(completed Q)) (Danihelka et al., ICLR 2022, eq.
// 11), where Q of a move without visits is v_mix (eq. 33). Values are not rescaled, and sigma is
// that of [Config]. For the PUCT rule it is the share of the visits. For a search without a visit
// it is the priors.
//
// raw is the evaluator's value of the root and values are the mean scores of the moves, both for
// the side to move. Values of moves without visits are not read. All slices have one element for
// each legal move.
func improvedPolicy(dst []float32, cfg Config, raw rules.WDL, priors, values []float32, visits []int32) {
	if len(dst) != len(priors) || len(dst) != len(values) || len(dst) != len(visits) {
		panic("mcts: slices of unequal length")
	}
	total, most := 0.0, 0.0
	for _, n := range visits {
		total += float64(n)
		most = max(most, float64(n))
	}
	if total == 0 {
		copy(dst, priors)
		return
	}
	if cfg.Root == PUCT {
		for i, n := range visits {
			dst[i] = float32(float64(n) / total)
		}
		return
	}
	mix, scale := mixedValue(float64(raw.Score()), priors, values, visits), cfg.sigma(most)
	top := math.Inf(-1)
	for i := range dst {
		top = max(top, improvedLogit(i, scale, mix, priors, values, visits))
	}
	sum := 0.0
	for i := range dst {
		e := math.Exp(improvedLogit(i, scale, mix, priors, values, visits) - top)
		dst[i] = float32(e)
		sum += e
	}
	for i := range dst {
		dst[i] = float32(float64(dst[i]) / sum)
	}
}

// improvedLogit returns the logit of move i in the improved policy.
func improvedLogit(i int, scale, mix float64, priors, values []float32, visits []int32) float64 {
	q := mix
	if visits[i] > 0 {
		q = float64(values[i])
	}
	return logit(priors[i]) + scale*q
}

// sigma returns the slope of sigma(q) if the most visited move has most visits.
func (c *Config) sigma(most float64) float64 { return (c.CVisit + most) * c.CScale }

// mixedValue returns v_mix (Danihelka et al., ICLR 2022, eq. 33): the value of the root, estimated
// from the score of its evaluation and from the values of the visited moves, weighted by their
// priors.
func mixedValue(raw float64, priors, values []float32, visits []int32) float64 {
	var total, mass, value float64
	for i, n := range visits {
		if n > 0 {
			total += float64(n)
			mass += float64(priors[i])
			value += float64(priors[i]) * float64(values[i])
		}
	}
	if mass == 0 {
		return raw // nothing visited, or only moves that the priors exclude
	}
	return (raw + total*value/mass) / (1 + total)
}

// logit returns the logarithm of a prior. A prior of 0, in float32, counts as a very small number, so
// that a good value can still outweigh it.
func logit(prior float32) float64 { return math.Log(max(float64(prior), 1e-9)) }
