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
