package journal

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// weight returns the number of games without draws that would tell as much as the match, whose
// interval comes from pairs of games: draws, and openings that suit one side, make it more than
// the number of games.
func (g *GateResult) weight() (games, score float64) {
	games = float64(g.Wins + g.Draws + g.Losses)
	score = (float64(g.Wins) + float64(g.Draws)/2) / max(games, 1)
	if g.Low > 0 && g.Low < g.High && g.High < 1 {
		deviation := (g.High - g.Low) / (2 * 1.96)
		games = min(max(score*(1-score)/(deviation*deviation), games), mostWeight*games)
	}
	return games, score
}

// mostWeight is the most games that a game of a match counts for, where nearly all are drawn.
const mostWeight = 4

// ladder is the opponent of an observation whose Elo is known.
const ladder = -1

// observation is a score of one network against another, or against an opponent of known Elo.
type observation struct {
	network, against int     // indices; against may be ladder
	elo              float64 // of the opponent, if that is the ladder
	games            float64
	score            float64 // points, a draw one half
}

// priorGames is the weight of a weak prior that keeps an Elo finite if every game was won or lost:
// this many drawn games against opponents 400 Elo below and 400 above the middle of the rungs that
// a network played, and as many between two networks that met.
const priorGames = 0.5

// withPrior returns the observations with those of the prior.
func withPrior(networks int, seen []observation) []observation {
	games, elo := make([]float64, networks), make([]float64, networks)
	all := seen[:len(seen):len(seen)]
	for _, o := range seen {
		if o.against == ladder {
			games[o.network] += o.games
			elo[o.network] += o.games * o.elo
		} else {
			all = append(all, observation{o.network, o.against, 0, priorGames, priorGames / 2})
		}
	}
	for i, n := range games {
		if n > 0 {
			all = append(all,
				observation{i, ladder, elo[i]/n - 400, priorGames, priorGames / 2},
				observation{i, ladder, elo[i]/n + 400, priorGames, priorGames / 2})
		}
	}
	return all
}

// estimate returns the most likely Elo of each network (Bradley-Terry, a draw counting as half a
// win and half a loss) and the covariance of their errors, from the curvature of the likelihood.
// The true intervals are narrower, because draws reduce the variance. Matches must lead from every
// network to the ladder.
func estimate(networks int, seen []observation) ([]float64, *mat.SymDense) {
	const k = math.Ln10 / 400
	all := withPrior(networks, seen)
	x := make([]float64, networks)
	for i := range x { // begin in the middle of the rungs
		n := 0.0
		for _, o := range all {
			if o.against == ladder {
				x[i] += (o.elo - x[i]) * o.games / (n + o.games)
				n += o.games
			}
		}
	}
	covariance := mat.NewSymDense(networks, nil)
	for range 200 { // Newton's method, with steps of at most 200 Elo
		slope := mat.NewVecDense(networks, nil)
		information := mat.NewSymDense(networks, nil)
		add := func(i, j int, v float64) { information.SetSym(i, j, information.At(i, j)+v) }
		for _, o := range all {
			other := o.elo
			if o.against != ladder {
				other = x[o.against]
			}
			p := 1 / (1 + math.Exp(-k*(x[o.network]-other)))
			pull, bend := k*(o.score-o.games*p), k*k*o.games*p*(1-p)
			slope.SetVec(o.network, slope.AtVec(o.network)+pull)
			add(o.network, o.network, bend)
			if o.against != ladder {
				slope.SetVec(o.against, slope.AtVec(o.against)-pull)
				add(o.against, o.against, bend)
				add(o.network, o.against, -bend)
			}
		}
		var factors mat.Cholesky
		var step mat.VecDense
		if !factors.Factorize(information) || factors.SolveVecTo(&step, slope) != nil || factors.InverseTo(covariance) != nil {
			break // an information near 0: the step before was the last that could be told
		}
		largest := mat.Norm(&step, math.Inf(1))
		for i := range x {
			x[i] += step.AtVec(i) * min(1, 200/max(largest, 1e-9))
		}
		if largest < 1e-4 {
			break
		}
	}
	return x, covariance
}

// network names a network of a run: its own network of a generation, or the one refitted there.
type network struct {
	generation int
	refit      bool
}

// Rate sets the Elo of the ratings of one run, in the order of time, and what they gained. It fits
// all together to the scores against the rungs, by the present ladder, and to the scores of the
// run's networks against each other. Where no match leads to the ladder, they are 0.
func Rate(variant string, ratings []*Rating) {
	index := map[network]int{}
	at := func(generation int, refit bool) int {
		n := network{generation, refit}
		if _, known := index[n]; !known {
			index[n] = len(index)
		}
		return index[n]
	}
	marks := map[string]float64{}
	for _, m := range Marks(variant) {
		marks[m.Name] = m.Elo
	}
	var seen []observation
	for _, r := range ratings {
		r.Variant, r.Elo, r.Low, r.High, r.Gain, r.Total = variant, 0, 0, 0, nil, nil
		i := at(r.Generation, r.Refit)
		for _, result := range r.Rungs {
			if elo, known := marks[result.Rung]; known {
				n := float64(result.Wins + result.Draws + result.Losses)
				seen = append(seen, observation{i, ladder, elo, n, result.Score * n})
			}
		}
		if g := r.Gate; g != nil && g.Against != r.Generation {
			n, score := g.weight()
			seen = append(seen, observation{at(r.Generation, false), at(g.Against, false), 0, n, n * score})
		}
		if g := r.Own; g != nil {
			n, score := g.weight()
			seen = append(seen, observation{at(r.Generation, true), at(g.Against, false), 0, n, n * score})
		}
	}
	place, seen := anchored(len(index), seen)
	n := 0
	for _, p := range place {
		n = max(n, p+1)
	}
	if n == 0 {
		return
	}
	elo, covariance := estimate(n, seen)
	var first, last *Rating
	gain := func(now, then *Rating) *Gain {
		i, j := place[at(now.Generation, now.Refit)], place[at(then.Generation, then.Refit)]
		variance := covariance.At(i, i) + covariance.At(j, j) - 2*covariance.At(i, j)
		return &Gain{then.Generation, elo[i] - elo[j], 1.96 * math.Sqrt(max(variance, 0))}
	}
	for _, r := range ratings {
		i := place[at(r.Generation, r.Refit)]
		if i < 0 {
			continue
		}
		half := 1.96 * math.Sqrt(covariance.At(i, i))
		r.Elo, r.Low, r.High = elo[i], elo[i]-half, elo[i]+half
		if last != nil {
			r.Gain, r.Total = gain(r, last), gain(r, first)
		} else {
			first = r
		}
		if !r.Refit || last == nil { // a run goes on with its own network
			last = r
		}
	}
}

// anchored numbers the networks from which matches lead to the ladder, the others get -1, and
// returns the observations of the former by these numbers.
func anchored(networks int, seen []observation) (place []int, kept []observation) {
	reached := make([]bool, networks)
	for changed := true; changed; {
		changed = false
		for _, o := range seen {
			from := o.against == ladder || reached[o.against]
			if from && !reached[o.network] {
				reached[o.network], changed = true, true
			}
			if o.against != ladder && reached[o.network] && !reached[o.against] {
				reached[o.against], changed = true, true
			}
		}
	}
	place, n := make([]int, networks), 0
	for i, yes := range reached {
		place[i] = -1
		if yes {
			place[i], n = n, n+1
		}
	}
	for _, o := range seen {
		if !reached[o.network] {
			continue
		}
		o.network = place[o.network]
		if o.against != ladder {
			o.against = place[o.against]
		}
		kept = append(kept, o)
	}
	return place, kept
}
