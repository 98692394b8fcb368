package arena

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"
)

// RatedPair is the results of two players in one opening: of the game in which A had White and of
// the one in which B had White, both for A: 0 (loss), 1 (draw) or 2 (win).
type RatedPair struct {
	A, B          int // indices of the players, from 0
	First, Second int
	// Number of the opening: the same for all pairs that began with it; negative for none.
	Opening int
}

// Ratings are the strengths of several players that have played each other.
//
// The model is that of R. Bradley and M. Terry (Rank analysis of incomplete block designs, 1952),
// as in Elo ratings: a pair of games, one with each colour, has the expected score (the inverse of
// [EloOf]) of the difference in Elo, where a draw is half a win. The Elo of all players are those
// that make the scores most likely together (the quasi-likelihood of R. Wedderburn, 1974); for two
// players it is the Elo of their match, [Pentanomial.Elo].
//
// The intervals do not assume a law of draws, or that the games of a pair are independent. They
// come from the differences between the results of the pairs and their expectation (the sandwich
// estimator of P. Huber, 1967, and H. White, 1980, with pairs as clusters), by Student's t. A weak
// prior, one game of each player against an average one, half won and half lost, keeps all numbers
// finite.
type Ratings struct {
	Elo    []Interval    // by player, relative to the mean of the connected players, or to the anchor
	Played []Pentanomial // by player

	// Split marks players that are not connected to the others by points both ways, directly or
	// through third players. The Elo of such a player is a bound rather than an estimate, and one
	// end of its interval is infinite.
	Split []bool

	// White is the Elo of White's score in all games, with its interval over the openings.
	White Interval

	x []float64 // strengths: Elo times eloUnit
	// Covariance of the strengths, by the model without draws and by the sandwich estimator.
	model, byPairs *mat.SymDense
	confidence     float64
}

// eloUnit is the natural logarithm of the odds for one Elo.
const eloUnit = math.Ln10 / 400

// ratingPrior is the number of games of each player against an average one in the prior, half of
// them won.
const ratingPrior = 1.0

// Anchor is a player whose Elo is given.
type Anchor struct {
	Player int
	Elo    float64
}

// Rate computes the ratings of n players from the pairs they played. Intervals have the given
// confidence, usually 0.95. With an anchor the ratings are shifted so that this player has that
// Elo; its own interval then has width 0, and the others' are those of their difference from it.
// It returns an error if there are no pairs or a number is out of range.
func Rate(n int, pairs []RatedPair, anchor *Anchor, confidence float64) (Ratings, error) {
	switch {
	case n < 2 || len(pairs) == 0:
		return Ratings{}, errors.New("ratings: two players and a pair of games are needed")
	case anchor != nil && (anchor.Player < 0 || anchor.Player >= n || math.IsNaN(anchor.Elo) || math.IsInf(anchor.Elo, 0)):
		return Ratings{}, errors.New("ratings: the anchor is not one of the players, or its Elo is not a number")
	case !(confidence > 0 && confidence < 1):
		return Ratings{}, fmt.Errorf("ratings: confidence %g is not in (0, 1)", confidence)
	}
	counts := map[scored]int{}
	r := Ratings{Played: make([]Pentanomial, n), Split: make([]bool, n), confidence: confidence}
	for _, p := range pairs {
		if p.A < 0 || p.A >= n || p.B < 0 || p.B >= n || p.A == p.B || p.First < 0 || p.First > 2 || p.Second < 0 || p.Second > 2 {
			return Ratings{}, fmt.Errorf("ratings: pair %+v is out of range", p)
		}
		points := p.First + p.Second
		counts[scored{p.A, p.B, points}]++
		r.Played[p.A][points]++
		r.Played[p.B][4-points]++
	}
	f := ratingFit{n: n}
	// Sort, because a floating-point sum depends on its order, and the order of a map is random.
	for _, s := range slices.SortedFunc(maps.Keys(counts), func(a, b scored) int {
		return cmp.Or(a.a-b.a, a.b-b.b, a.points-b.points)
	}) {
		f.groups = append(f.groups, group{s, float64(counts[s])})
	}
	var err error
	if r.x, err = f.solve(); err != nil {
		return Ratings{}, err
	}
	r.model, r.byPairs = f.covariance(r.x, len(pairs))
	r.report(f, anchor)
	r.White = whiteAdvantage(pairs, confidence)
	return r, nil
}

// report converts the strengths to Elo.
func (r *Ratings) report(f ratingFit, anchor *Anchor) {
	reach := f.reach()
	origin := mainGroup(reach, r.x, anchor)
	offset := 0.0
	from := make([]float64, f.n) // weights of the mean that is the origin
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
	row := make([]float64, f.n)
	for i := range f.n {
		for k, w := range from {
			row[k] = -w
		}
		row[i]++
		estimate := offset + (r.x[i]-zero)/eloUnit
		half := r.halfWidth(row, i)
		e := Interval{estimate - half, estimate, estimate + half}
		if up, down := reach[i][origin[0]], reach[origin[0]][i]; !up || !down {
			r.Split[i] = true
			e = r.bound(f, i, e, up, down)
		}
		r.Elo = append(r.Elo, e)
	}
}

// halfWidth returns half the width of the interval, in Elo, of the sum of strengths weighted by
// row, by Student's t with the number of pairs of the player. If all its pairs have the same
// score, or there are few, their residuals are not reliable; the covariance of the model then
// counts if it is larger.
func (r *Ratings) halfWidth(row []float64, player int) float64 {
	v := mat.NewVecDense(len(row), row)
	variance := mat.Inner(v, r.byPairs, v)
	pairs := r.Played[player].Pairs()
	if r.uniform(player) || pairs < 3 {
		variance = max(variance, mat.Inner(v, r.model, v))
	}
	return student(pairs, r.confidence) * math.Sqrt(max(0, variance)) / eloUnit
}

// student returns the half width, in standard errors, of the interval of a mean over n clusters.
func student(n int, confidence float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(max(1, n-1))}.Quantile((1 + confidence) / 2)
}

// uniform reports whether all pairs of a player have the same score.
func (r *Ratings) uniform(player int) bool {
	p := r.Played[player]
	return slices.Max(p[:]) == p.Pairs()
}

// mainGroup returns the largest group of players that are connected both ways, of equal ones the
// weakest. With an anchor it is the group of the anchor.
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

// bound returns the interval of a player that is not connected to the main group, with infinite
// ends. If the player has won all games, or lost all, the other end is the Elo at which that would
// have probability (1-confidence)/2 if every pair were won or lost as a whole, as in
// [Pentanomial.ScoreInterval].
func (r *Ratings) bound(f ratingFit, player int, e Interval, up, down bool) Interval {
	p := r.Played[player]
	if p[4] == p.Pairs() {
		e.Low = e.Estimate + f.shift(r.x, player, +1, (1-r.confidence)/2)/eloUnit
	}
	if p[0] == p.Pairs() {
		e.High = e.Estimate + f.shift(r.x, player, -1, (1-r.confidence)/2)/eloUnit
	}
	// If the player lost no point to the main group there is no upper end; if it took none, there
	// is no lower end.
	if !down {
		e.High = math.Inf(1)
	}
	if !up {
		e.Low = math.Inf(-1)
	}
	return e
}

// Difference returns the Elo of player i minus that of player j.
func (r *Ratings) Difference(i, j int) Interval {
	row := make([]float64, len(r.x))
	row[i]++
	row[j]--
	half := r.halfWidth(row, r.fewer(i, j))
	d := (r.x[i] - r.x[j]) / eloUnit
	return Interval{d - half, d, d + half}
}

// fewer returns the player that has played less.
func (r *Ratings) fewer(i, j int) int {
	if r.Played[j].Pairs() < r.Played[i].Pairs() {
		return j
	}
	return i
}

// Superiority returns the probability, by the normal distribution, that player i is stronger than
// player j.
func (r *Ratings) Superiority(i, j int) float64 {
	d := r.Difference(i, j)
	if i == j || d.High == d.Low {
		return 0.5
	}
	deviation := (d.High - d.Low) / 2 / student(r.Played[r.fewer(i, j)].Pairs(), r.confidence)
	return distuv.UnitNormal.CDF(d.Estimate / deviation)
}

// Expected returns the score in [0,1] that the ratings expect of player i against player j over a
// pair of games.
func (r *Ratings) Expected(i, j int) float64 { return logistic(r.x[i] - r.x[j]) }

// whiteAdvantage returns the Elo of White's score in all games. Its clusters are the openings,
// because all games of an opening have the same advantage for White; without openings they are the
// pairs.
func whiteAdvantage(pairs []RatedPair, confidence float64) Interval {
	type sum struct{ points, games float64 }
	clusters := map[int]sum{}
	for i, p := range pairs {
		c := p.Opening
		if c < 0 {
			c = -1 - i
		}
		s := clusters[c]
		clusters[c] = sum{s.points + float64(p.First+2-p.Second)/2, s.games + 2}
	}
	total := sum{}
	for _, s := range clusters {
		total.points, total.games = total.points+s.points, total.games+s.games
	}
	mean := total.points / total.games
	n := float64(len(clusters))
	if n < 2 {
		return Interval{math.Inf(-1), EloOf(mean), math.Inf(1)}
	}
	var squares []float64
	for _, s := range clusters {
		d := s.points - mean*s.games
		squares = append(squares, d*d)
	}
	slices.Sort(squares) // so that the sum does not depend on the order of the map
	half := student(len(clusters), confidence) * math.Sqrt(n/(n-1)*floats.Sum(squares)) / total.games
	if half == 0 { // all equal: as in Pentanomial.ScoreInterval
		half = 1 - math.Pow((1-confidence)/2, 1/n)
	}
	return Interval{EloOf(mean - half), EloOf(mean), EloOf(mean + half)}
}

// scored is a pair of games of players a and b in which a made points, 0 to 4 half points.
type scored struct{ a, b, points int }

// group is all pairs of two players with the same number of points.
type group struct {
	scored
	count float64
}

// ratingFit is the quasi-likelihood of the strengths of n players, which are in natural units. It
// is concave.
type ratingFit struct {
	n      int
	groups []group
}

func logistic(d float64) float64 { return 1 / (1 + math.Exp(-d)) }

// logLogistic returns the logarithm of logistic(d), also if logistic(d) underflows.
func logLogistic(d float64) float64 {
	if d < 0 {
		return d - math.Log1p(math.Exp(d))
	}
	return -math.Log1p(math.Exp(-d))
}

// value returns the negative quasi-likelihood. A pair counts as two games.
func (f *ratingFit) value(x []float64) float64 {
	sum := 0.0
	for _, g := range f.groups {
		score := float64(g.points) / 4
		d := x[g.a] - x[g.b]
		sum -= 2 * g.count * (score*logLogistic(d) + (1-score)*logLogistic(-d))
	}
	for _, d := range x {
		sum -= ratingPrior / 2 * (logLogistic(d) + logLogistic(-d))
	}
	return sum
}

// residual returns the derivative of a pair's quasi-likelihood by the strength of the first
// player.
func (g group) residual(x []float64) float64 {
	return 2 * (float64(g.points)/4 - logistic(x[g.a]-x[g.b]))
}

func (f *ratingFit) gradient(dst, x []float64) {
	for i, d := range x {
		dst[i] = ratingPrior * (logistic(d) - 0.5)
	}
	for _, g := range f.groups {
		r := g.count * g.residual(x)
		dst[g.a] -= r
		dst[g.b] += r
	}
}

// hessian computes the Hessian of value: the information matrix.
func (f *ratingFit) hessian(dst *mat.SymDense, x []float64) {
	dst.Zero()
	add := func(i, j int, v float64) { dst.SetSym(i, j, dst.At(i, j)+v) }
	for i, d := range x {
		p := logistic(d)
		add(i, i, ratingPrior*p*(1-p))
	}
	for _, g := range f.groups {
		p := logistic(x[g.a] - x[g.b])
		v := 2 * g.count * p * (1 - p)
		add(g.a, g.a, v)
		add(g.b, g.b, v)
		add(g.a, g.b, -v)
	}
}

// solve returns the most likely strengths.
func (f *ratingFit) solve() ([]float64, error) {
	problem := optimize.Problem{Func: f.value, Grad: f.gradient, Hess: f.hessian}
	settings := &optimize.Settings{GradientThreshold: 1e-8}
	r, err := optimize.Minimize(problem, make([]float64, f.n), settings, &optimize.Newton{})
	if r == nil {
		return nil, fmt.Errorf("ratings: %w", err)
	}
	// Near the optimum the line search may find no progress because of rounding, so test the
	// gradient there.
	slope := make([]float64, f.n)
	f.gradient(slope, r.X)
	if worst := floats.Norm(slope, math.Inf(1)); !(worst < 1e-4) {
		return nil, fmt.Errorf("ratings: the fit did not converge (slope %g): %v", worst, err)
	}
	return r.X, nil
}

// covariance returns two covariances of the strengths: the inverse of the information matrix, and
// the sandwich of it with the residuals of the pairs.
func (f *ratingFit) covariance(x []float64, pairs int) (model, byPairs *mat.SymDense) {
	information := mat.NewSymDense(f.n, nil)
	f.hessian(information, x)
	var chol mat.Cholesky
	if !chol.Factorize(information) {
		panic("arena: the information of a rating is singular in spite of its prior")
	}
	model = mat.NewSymDense(f.n, nil)
	if err := chol.InverseTo(model); err != nil {
		// A Condition error is only a warning that the numbers differ much, for example because a
		// player has won thousands of games.
		if c := mat.Condition(0); !errors.As(err, &c) {
			panic("arena: the information of a rating has no inverse")
		}
	}
	middle := mat.NewDense(f.n, f.n, nil)
	for _, g := range f.groups {
		v := g.count * g.residual(x) * g.residual(x)
		middle.Set(g.a, g.a, middle.At(g.a, g.a)+v)
		middle.Set(g.b, g.b, middle.At(g.b, g.b)+v)
		middle.Set(g.a, g.b, middle.At(g.a, g.b)-v)
		middle.Set(g.b, g.a, middle.At(g.b, g.a)-v)
	}
	var half, full mat.Dense
	half.Mul(model, middle)
	full.Mul(&half, model)
	// The strengths were fitted to the pairs, so the squares of the residuals are too small, as in
	// any regression.
	factor := float64(pairs) / float64(max(1, pairs-f.n+1))
	byPairs = mat.NewSymDense(f.n, nil)
	for i := range f.n {
		for j := i; j < f.n; j++ {
			byPairs.SetSym(i, j, factor*(full.At(i, j)+full.At(j, i))/2)
		}
	}
	return model, byPairs
}

// reach returns [n][n]: whether player i has taken a point from j, directly or through other
// players.
func (f *ratingFit) reach() [][]bool {
	to := make([][]bool, f.n)
	for i := range to {
		to[i] = make([]bool, f.n)
		to[i][i] = true
	}
	for _, g := range f.groups {
		to[g.a][g.b] = to[g.a][g.b] || g.points > 0
		to[g.b][g.a] = to[g.b][g.a] || g.points < 4
	}
	for k := range f.n {
		for i := range f.n {
			for j := range f.n {
				to[i][j] = to[i][j] || to[i][k] && to[k][j]
			}
		}
	}
	return to
}

// shift returns the change of the strength of a player that has won all games (side 1) or lost all
// (side -1) at which that result would have probability tail.
func (f *ratingFit) shift(x []float64, player int, side, tail float64) float64 {
	logProbability := func(shift float64) float64 {
		sum := 0.0
		for _, g := range f.groups {
			switch player {
			case g.a:
				sum += g.count * logLogistic(side*(x[g.a]+shift-x[g.b]))
			case g.b:
				sum += g.count * logLogistic(side*(x[g.b]+shift-x[g.a]))
			}
		}
		return sum
	}
	low, high := -40.0, 40.0
	for range 60 {
		middle := (low + high) / 2
		if (logProbability(middle) < math.Log(tail)) == (side > 0) {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
