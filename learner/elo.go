package learner

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// Rating is the strength of a network on the ladder.
type Rating struct {
	Variant    string       `json:"-"` // variant of the ladder
	Generation int          `json:"generation"`
	Refit      bool         `json:"refit,omitempty"` // of the refitted network, not of the run's own
	Elo        float64      `json:"elo"`             // alphabeta-1 at depth 1 is 0
	Low        float64      `json:"low"`             // 95 % interval
	High       float64      `json:"high"`            //
	Visits     int          `json:"visits"`
	Rungs      []RungResult `json:"rungs"`
	Gate       *GateResult  `json:"gate,omitempty"`
	Seconds    float64      `json:"seconds"` // duration of the evaluation
}

// rated reports whether one of the rungs has a known Elo, which the rating needs.
func (r Rating) rated() bool {
	for _, g := range r.Rungs {
		if p, err := parseRung(r.Variant, g.Rung); err == nil && p.rated {
			return true
		}
	}
	return false
}

// RungResult is a match against one rung of the ladder.
type RungResult struct {
	Rung     string  `json:"rung"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Score    float64 `json:"score"`
	Distinct int     `json:"distinct"` // number of different games
}

// GateResult is a match against the accepted network.
type GateResult struct {
	Against int     `json:"against"` // generation
	Wins    int     `json:"wins"`
	Draws   int     `json:"draws"`
	Losses  int     `json:"losses"`
	High    float64 `json:"high"` // upper end of the score's 95 % interval
	Passed  bool    `json:"passed"`
}

// observation is a score against an opponent of known Elo.
type observation struct {
	elo   float64 // of the opponent
	games float64
	score float64 // points, a draw one half
}

// priorGames is the weight of a weak prior that keeps an Elo finite if every game was won or lost:
// this many drawn games against opponents 400 Elo below and 400 above the middle of the field.
const priorGames = 0.5

// estimate returns the most likely Elo (Bradley-Terry, a draw counting as half a win and half a
// loss) and a 95 % interval from the curvature of the likelihood. The true interval is narrower,
// because draws reduce the variance.
func estimate(seen []observation) (elo, low, high float64) {
	if len(seen) == 0 {
		return 0, math.Inf(-1), math.Inf(1)
	}
	mean, n := 0.0, 0.0
	for _, o := range seen {
		mean += o.elo * o.games
		n += o.games
	}
	mean /= n
	all := append([]observation{
		{mean - 400, priorGames, priorGames / 2}, {mean + 400, priorGames, priorGames / 2},
	}, seen...)
	const k = math.Ln10 / 400
	negative := func(x []float64) float64 {
		sum := 0.0
		for _, o := range all {
			d := k * (x[0] - o.elo)
			// -log of the logistic function, in a form that does not overflow
			win := math.Log1p(math.Exp(-math.Abs(d))) + math.Max(-d, 0)
			sum += o.score*win + (o.games-o.score)*(win+d)
		}
		return sum
	}
	best := mean
	if r, err := optimize.Minimize(optimize.Problem{Func: negative}, []float64{mean}, nil, &optimize.NelderMead{SimplexSize: 100}); err == nil {
		best = r.X[0]
	}
	information := 0.0
	for _, o := range all {
		p := 1 / (1 + math.Exp(-k*(best-o.elo)))
		information += o.games * p * (1 - p) * k * k
	}
	half := 1.96 / math.Sqrt(information)
	return best, best - half, best + half
}
