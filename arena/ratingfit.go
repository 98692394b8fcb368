package arena

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// eloUnit is the natural logarithm of the odds for one Elo.
const eloUnit = math.Ln10 / 400

// ratingPrior is the number of games of each player against an average one in the prior, half of
// them won.
const ratingPrior = 1.0

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
