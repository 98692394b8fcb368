package arena

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// ratingPrior is the weight of the prior: so many games of each player against an average opponent, half of
// them won and half lost, and as many between equal players, half of them drawn.
const ratingPrior = 0.5

// group is all pairs of two players that ended alike.
type group struct {
	RatedPair
	count float64
}

// fit is the likelihood. Its parameters are the strengths of the players in natural units, log nu, and the
// advantage of White; it is concave in them.
type fit struct {
	n      int
	groups []group
}

func (f *fit) size() int { return f.n + 2 }

// probabilities returns those of win, draw and loss at a difference d.
func probabilities(d, logNu float64) (win, draw, loss float64) {
	top := max(d/2, -d/2, logNu)
	win, draw, loss = math.Exp(d/2-top), math.Exp(logNu-top), math.Exp(-d/2-top)
	sum := win + draw + loss
	return win / sum, draw / sum, loss / sum
}

// game is one game of a pair, as the likelihood sees it: the coefficient of White's advantage in d, and the result.
type game struct{ advantage, result float64 }

func (g group) games() [2]game { return [2]game{{1, float64(g.First)}, {-1, float64(g.Second)}} }

// prior calls add for the games of the prior: the player, or -1 for a game between equals, its result (0, 1 or 2)
// and its weight.
func (f *fit) prior(add func(player int, result, weight float64)) {
	for i := range f.n {
		add(i, 0, ratingPrior/2)
		add(i, 2, ratingPrior/2)
	}
	add(-1, 1, ratingPrior/2)
	add(-1, 0, ratingPrior/4)
	add(-1, 2, ratingPrior/4)
}

// each calls add for every kind of game: which parameters its difference is made of, with their signs, its result
// and how many there are.
func (f *fit) each(add func(at []int, sign []float64, result, count float64)) {
	at, sign := make([]int, 3), make([]float64, 3)
	for _, g := range f.groups {
		for _, one := range g.games() {
			at[0], at[1], at[2] = g.A, g.B, f.n+1
			sign[0], sign[1], sign[2] = 1, -1, one.advantage
			add(at, sign, one.result, g.count)
		}
	}
	f.prior(func(player int, result, weight float64) {
		if player < 0 {
			add(nil, nil, result, weight)
			return
		}
		at[0], sign[0] = player, 1
		add(at[:1], sign[:1], result, weight)
	})
	// White's advantage has a prior of its own: a game of equals with White's gain, won and lost.
	at[0], sign[0] = f.n+1, 1
	add(at[:1], sign[:1], 0, ratingPrior/2)
	add(at[:1], sign[:1], 2, ratingPrior/2)
}

func difference(x []float64, at []int, sign []float64) float64 {
	d := 0.0
	for i, k := range at {
		d += sign[i] * x[k]
	}
	return d
}

// value returns the negative log-likelihood.
func (f *fit) value(x []float64) float64 {
	sum := 0.0
	f.each(func(at []int, sign []float64, result, count float64) {
		win, draw, loss := probabilities(difference(x, at, sign), x[f.n])
		sum -= count * math.Log([3]float64{loss, draw, win}[int(result)])
	})
	return sum
}

// residual returns how far a game is from what was expected of it: in half the difference of wins and losses, and
// in draws. They are the derivatives of its log-likelihood by d and by log nu.
func residual(result, win, draw, loss float64) (byDifference, byNu float64) {
	byDifference, byNu = (result-1)/2-(win-loss)/2, -draw
	if result == 1 {
		byNu++
	}
	return byDifference, byNu
}

func (f *fit) gradient(dst, x []float64) {
	clear(dst)
	f.each(func(at []int, sign []float64, result, count float64) {
		win, draw, loss := probabilities(difference(x, at, sign), x[f.n])
		a, b := residual(result, win, draw, loss)
		for i, k := range at {
			dst[k] -= count * sign[i] * a
		}
		dst[f.n] -= count * b
	})
}

// hessian is that of value: the information. It does not depend on the results, but through x.
func (f *fit) hessian(dst *mat.SymDense, x []float64) {
	dst.Zero()
	add := func(i, j int, v float64) {
		if i <= j {
			dst.SetSym(i, j, dst.At(i, j)+v)
		}
	}
	f.each(func(at []int, sign []float64, _, count float64) {
		win, draw, loss := probabilities(difference(x, at, sign), x[f.n])
		lead := win - loss
		dd, dn, nn := (win+loss-lead*lead)/4, -draw*lead/2, draw*(1-draw)
		for i, k := range at {
			for j, l := range at {
				add(k, l, count*sign[i]*sign[j]*dd)
			}
			if k < f.n {
				add(k, f.n, count*sign[i]*dn)
			} else {
				add(f.n, k, count*sign[i]*dn)
			}
		}
		add(f.n, f.n, count*nn)
	})
}

// solve returns the most likely parameters.
func (f *fit) solve() ([]float64, error) {
	problem := optimize.Problem{Func: f.value, Grad: f.gradient, Hess: f.hessian}
	settings := &optimize.Settings{GradientThreshold: 1e-8}
	r, err := optimize.Minimize(problem, make([]float64, f.size()), settings, &optimize.Newton{})
	if r == nil {
		return nil, fmt.Errorf("ratings: %w", err)
	}
	// The line search may find no progress within rounding of the optimum: what counts is the slope there.
	slope := make([]float64, f.size())
	f.gradient(slope, r.X)
	for _, s := range slope {
		if !(math.Abs(s) < 1e-4) {
			return nil, fmt.Errorf("ratings: the fit did not converge (slope %g): %v", s, err)
		}
	}
	return r.X, nil
}

// inverse returns the inverse of the information.
func inverse(information *mat.SymDense) *mat.SymDense {
	var chol mat.Cholesky
	if !chol.Factorize(information) {
		panic("arena: the information of a rating is singular in spite of its prior")
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		// Only a warning that numbers are far apart: one player has won thousands of games, say.
		if c := mat.Condition(0); !errors.As(err, &c) {
			panic("arena: the information of a rating has no inverse")
		}
	}
	return &inv
}

// score adds to row the derivative of the log-likelihood of a pair, so many times.
func (f *fit) score(row, x []float64, pair RatedPair) {
	g := group{RatedPair: pair}
	for _, one := range g.games() {
		win, draw, loss := probabilities(x[g.A]-x[g.B]+one.advantage*x[f.n+1], x[f.n])
		a, b := residual(one.result, win, draw, loss)
		row[g.A] += a
		row[g.B] -= a
		row[f.n] += b
		row[f.n+1] += one.advantage * a
	}
}

// middle returns the sum of the squares of the pairs' scores.
func (f *fit) middle(x []float64) *mat.SymDense {
	m := mat.NewSymDense(f.size(), nil)
	row := make([]float64, f.size())
	for _, g := range f.groups {
		clear(row)
		f.score(row, x, g.RatedPair)
		m.SymRankOne(m, g.count, mat.NewVecDense(len(row), row))
	}
	return m
}

// middleByOpenings returns the sum of the squares of the openings' scores, and how many openings there are.
func (f *fit) middleByOpenings(x []float64, pairs []RatedPair) (*mat.SymDense, int) {
	rows := map[int][]float64{}
	for _, p := range pairs {
		if rows[p.Opening] == nil {
			rows[p.Opening] = make([]float64, f.size())
		}
		f.score(rows[p.Opening], x, p)
	}
	m := mat.NewSymDense(f.size(), nil)
	for _, opening := range slices.Sorted(maps.Keys(rows)) {
		m.SymRankOne(m, 1, mat.NewVecDense(f.size(), rows[opening]))
	}
	return m, len(rows)
}

// sandwich returns model * middle * model * factor.
func (f *fit) sandwich(model, middle *mat.SymDense, factor float64) *mat.SymDense {
	var half, full mat.Dense
	half.Mul(model, middle)
	full.Mul(&half, model)
	s := mat.NewSymDense(f.size(), nil)
	for i := range f.size() {
		for j := i; j < f.size(); j++ {
			s.SetSym(i, j, factor*(full.At(i, j)+full.At(j, i))/2)
		}
	}
	return s
}

// reach tells who has taken a point from whom, or from someone who has, and so on: [n][n].
func (f *fit) reach() [][]bool {
	to := make([][]bool, f.n)
	for i := range to {
		to[i] = make([]bool, f.n)
		to[i][i] = true
	}
	for _, g := range f.groups {
		to[g.A][g.B] = to[g.A][g.B] || g.First+g.Second > 0
		to[g.B][g.A] = to[g.B][g.A] || g.First+g.Second < 4
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

// shift returns by how much the strength of a player who has won all games (side 1) or lost all (side -1) would
// have to change for that to have the given probability.
func (f *fit) shift(x []float64, player int, side, tail float64) float64 {
	logProbability := func(shift float64) float64 {
		sum := 0.0
		for _, g := range f.groups {
			if g.A != player && g.B != player {
				continue
			}
			d := x[g.A] - x[g.B]
			if g.B == player {
				d = -d
			}
			score := 0.0
			for _, white := range []float64{1, -1} {
				win, draw, _ := probabilities(side*(d+shift+white*x[f.n+1]), x[f.n])
				score += (win + draw/2) / 2
			}
			sum += g.count * math.Log(score)
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
