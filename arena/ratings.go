package arena

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// RatedPair is what two players made of one opening: the result of the game in which A had White and of the one
// in which B had, both for A: 0 (loss), 1 (draw) or 2 (win).
type RatedPair struct {
	A, B          int // players, from 0
	First, Second int
	Opening       int // which one: the same number for all pairs that began alike
}

// Ratings are the strengths of many players that have met each other.
//
// The model is that of R. Davidson (On extending the Bradley-Terry model to accommodate ties, 1970) with the
// advantage of the first move (R. Davidson and R. Beaver, 1977): where d is the difference in strength, White's
// advantage added, a game is won, drawn or lost in the ratio exp(d/2) : nu : exp(-d/2). Strengths, nu and the
// advantage are the most likely ones. They are shown as Elo by the scale on which, between nearly equal players,
// the expected score is that of [ScoreOf].
//
// The intervals do not believe the model: they come from how much the pairs of games differ from it (the sandwich
// of P. Huber and H. White, pairs being the clusters), so that games of a pair may depend on each other and
// openings may favour a side. Where players have won all or lost all against others the model has no answer: a
// weak prior, half a game against an average opponent, keeps the numbers finite and the interval has one end only.
type Ratings struct {
	Elo    []Interval    // of each player: from the mean of those that are connected, or from the anchor
	Played []Pentanomial // of each player

	// Split tells who is not connected with the others by points both ways, direct or through third players.
	// The Elo of such a player is a bound rather than an estimate, and one end of the interval is infinite.
	Split []bool

	White    Interval // advantage of White in Elo
	DrawRate float64  // in [0,1], between equal players without an advantage

	x          []float64     // the parameters of the fit
	model      *mat.SymDense // their covariance if the model is right
	byPairs    *mat.SymDense // whatever the truth, pairs of games being independent
	confidence float64
}

// Anchor is a player whose Elo is given.
type Anchor struct {
	Player int
	Elo    float64
}

// Rate returns the ratings of n players from the pairs they played. Intervals are of the given confidence, 0.95 as
// a rule. With an anchor the ratings are shifted so that this player has that Elo; its own interval has no width
// then, and the others' are those of their distance from it. It is an error when there are no pairs or a number is
// out of range.
func Rate(n int, pairs []RatedPair, anchor *Anchor, confidence float64) (Ratings, error) {
	switch {
	case n < 2 || len(pairs) == 0:
		return Ratings{}, errors.New("ratings: two players and a pair of games are needed")
	case anchor != nil && (anchor.Player < 0 || anchor.Player >= n || math.IsNaN(anchor.Elo) || math.IsInf(anchor.Elo, 0)):
		return Ratings{}, errors.New("ratings: the anchor is not one of the players, or its Elo is not a number")
	case !(confidence > 0 && confidence < 1):
		return Ratings{}, fmt.Errorf("ratings: confidence %g is not in (0, 1)", confidence)
	}
	counts := map[RatedPair]int{}
	for _, p := range pairs {
		if p.A < 0 || p.A >= n || p.B < 0 || p.B >= n || p.A == p.B || p.First < 0 || p.First > 2 || p.Second < 0 || p.Second > 2 {
			return Ratings{}, fmt.Errorf("ratings: pair %+v is out of range", p)
		}
		p.Opening = 0
		counts[p]++
	}
	r := Ratings{Played: make([]Pentanomial, n), Split: make([]bool, n), confidence: confidence}
	f := fit{n: n}
	// A sum of floating-point numbers depends on its order, and that of a map on chance.
	for _, p := range slices.SortedFunc(maps.Keys(counts), func(a, b RatedPair) int {
		return cmp.Or(a.A-b.A, a.B-b.B, a.First-b.First, a.Second-b.Second)
	}) {
		f.groups = append(f.groups, group{p, float64(counts[p])})
		r.Played[p.A][p.First+p.Second] += counts[p]
		r.Played[p.B][4-p.First-p.Second] += counts[p]
	}
	var err error
	if r.x, err = f.solve(); err != nil {
		return Ratings{}, err
	}
	information := mat.NewSymDense(f.size(), nil)
	f.hessian(information, r.x)
	r.model = inverse(information)
	// The residuals are from parameters fitted to them: as in any regression their squares are too small.
	r.byPairs = f.sandwich(r.model, f.middle(r.x), float64(len(pairs))/float64(max(1, len(pairs)-n-1)))
	byOpenings, openings := f.middleByOpenings(r.x, pairs)
	r.report(f, anchor)
	r.reportWhite(f.sandwich(r.model, byOpenings, float64(openings)/float64(max(1, openings-1))), openings)
	return r, nil
}

// eloScale returns the Elo of one unit of strength, and its derivative by log nu. Near equality the expected score
// of the model rises by 1/(4+2nu) for each unit, that of ScoreOf by ln(10)/1600 for each Elo.
func eloScale(logNu float64) (scale, slope float64) {
	nu := math.Exp(logNu)
	const perUnit = 400 / math.Ln10
	return perUnit * 2 / (2 + nu), -perUnit * 2 * nu / ((2 + nu) * (2 + nu))
}

// report makes Elo of the parameters.
func (r *Ratings) report(f fit, anchor *Anchor) {
	n := f.n
	scale, slope := eloScale(r.x[n])
	reach := f.reach()
	origin := mainGroup(reach, r.x, anchor)
	offset := 0.0
	from := make([]float64, f.size()) // the derivative of the origin by the parameters
	if anchor != nil {
		offset = anchor.Elo
		from[anchor.Player] = 1
	} else {
		for _, i := range origin {
			from[i] = 1 / float64(len(origin))
		}
	}
	zero := 0.0
	for i, w := range from {
		zero += w * r.x[i]
	}
	row := make([]float64, f.size())
	for i := range n {
		for k, w := range from {
			row[k] = -scale * w
		}
		row[i] += scale
		row[n] = slope * (r.x[i] - zero)
		estimate := offset + scale*(r.x[i]-zero)
		half := r.halfWidth(row, i)
		e := Interval{estimate - half, estimate, estimate + half}
		main := origin[0]
		if up, down := reach[i][main], reach[main][i]; !up || !down {
			r.Split[i] = true
			e = r.bound(f, i, e, scale, up, down)
		}
		r.Elo = append(r.Elo, e)
	}
	_, r.DrawRate, _ = probabilities(0, r.x[n])
}

// reportWhite makes Elo of White's advantage.
func (r *Ratings) reportWhite(byOpenings *mat.SymDense, openings int) {
	n := len(r.Played)
	scale, slope := eloScale(r.x[n])
	v := mat.NewVecDense(n+2, nil)
	v.SetVec(n+1, scale)
	v.SetVec(n, slope*r.x[n+1])
	variance := mat.Inner(v, byOpenings, v)
	if openings < 3 {
		variance = max(variance, mat.Inner(v, r.model, v)) // the residuals of all are 0 together
	}
	half := r.student(openings) * math.Sqrt(max(0, variance))
	white := scale * r.x[n+1]
	r.White = Interval{white - half, white, white + half}
}

// student returns how many standard errors the interval of a mean of n clusters is wide, to one side.
func (r *Ratings) student(n int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(max(1, n-1))}.Quantile((1 + r.confidence) / 2)
}

// halfWidth returns half the width of the interval of what has these derivatives by the parameters, by Student's t
// with the pairs of the player. Where all of these ended alike their residuals say nothing, and the model's own
// covariance counts if it is the larger.
func (r *Ratings) halfWidth(row []float64, player int) float64 {
	v := mat.NewVecDense(len(row), row)
	variance := mat.Inner(v, r.byPairs, v)
	pairs := r.Played[player].Pairs()
	if r.uniform(player) || pairs < 3 {
		variance = max(variance, mat.Inner(v, r.model, v))
	}
	return r.student(pairs) * math.Sqrt(max(0, variance))
}

// uniform reports whether all pairs of a player ended alike.
func (r *Ratings) uniform(player int) bool {
	p := r.Played[player]
	return slices.Max(p[:]) == p.Pairs()
}

// mainGroup returns the largest group of players connected both ways, of equal ones the weakest; with an anchor
// its group.
func mainGroup(reach [][]bool, x []float64, anchor *Anchor) []int {
	groupOf := func(i int) []int {
		var members []int
		for j := range reach {
			if reach[i][j] && reach[j][i] {
				members = append(members, j)
			}
		}
		return members
	}
	if anchor != nil {
		return groupOf(anchor.Player)
	}
	var best []int
	for i := range reach {
		g := groupOf(i)
		if len(g) > len(best) || len(g) == len(best) && x[g[0]] < x[best[0]] {
			best = g
		}
	}
	return best
}

// bound gives the interval of a player who is not connected with the main group its infinite ends. Where such a
// player has won all games, or lost all, the other end is where that would have probability (1-confidence)/2 if
// every pair were won or lost as a whole, as in [Pentanomial.ScoreInterval].
func (r *Ratings) bound(f fit, player int, e Interval, scale float64, up, down bool) Interval {
	if up || !down {
		// It has taken points from the main group, or from those who have, and given none.
		if p := r.Played[player]; up && p[4] == p.Pairs() {
			e.Low = e.Estimate + scale*f.shift(r.x, player, +1, (1-r.confidence)/2)
		}
	}
	if p := r.Played[player]; down && !up && p[0] == p.Pairs() {
		e.High = e.Estimate + scale*f.shift(r.x, player, -1, (1-r.confidence)/2)
	}
	if !down {
		e.High = math.Inf(1)
	}
	if !up {
		e.Low = math.Inf(-1)
	}
	return e
}

// Difference returns the Elo of player i over player j.
func (r *Ratings) Difference(i, j int) Interval {
	n := len(r.Played)
	scale, slope := eloScale(r.x[n])
	row := make([]float64, len(r.x))
	row[i] += scale
	row[j] -= scale
	row[n] = slope * (r.x[i] - r.x[j])
	least := i
	if r.Played[j].Pairs() < r.Played[i].Pairs() {
		least = j
	}
	half := r.halfWidth(row, least)
	d := scale * (r.x[i] - r.x[j])
	return Interval{d - half, d, d + half}
}

// Superiority returns the probability, by the normal law, that player i is stronger than player j.
func (r *Ratings) Superiority(i, j int) float64 {
	d := r.Difference(i, j)
	if i == j || d.High == d.Low {
		return 0.5
	}
	deviation := (d.High - d.Low) / 2 / r.student(min(r.Played[i].Pairs(), r.Played[j].Pairs()))
	return distuv.UnitNormal.CDF(d.Estimate / deviation)
}

// Expected returns the score in [0,1] that the ratings expect of player i against player j over a pair of games,
// one with each colour.
func (r *Ratings) Expected(i, j int) float64 {
	n := len(r.Played)
	score := 0.0
	for _, white := range []float64{1, -1} {
		win, draw, _ := probabilities(r.x[i]-r.x[j]+white*r.x[n+1], r.x[n])
		score += (win + draw/2) / 2
	}
	return score
}
