package engine

import (
	"math"
	"math/rand/v2"

	"damier/alphabeta"
	"damier/mcts"
)

// Level is a strength of play, for a tree search over a network and for an alpha-beta search.
type Level struct {
	// Visits of the tree search. A clock can end the search before them; only full strength
	// continues beyond them while the clock allows.
	Visits int

	// Temperature of the tree search's choice: it draws a move in proportion to
	// policy^(1/Temperature). With 0 it plays the best move.
	Temperature float64

	// Blunder is the expected score, in [0,1], that a drawn move may lose by the values of the
	// search; 1 allows any move. A level below 1 never plays a move that the search has not
	// visited.
	Blunder float64

	Depth int             // depth of the alpha-beta search, in plies
	Ties  alphabeta.Score // alphabeta.Config.RandomTies; a man is 100
	// alphabeta.Config.Oversight: share of moves, in [0,1], that are any legal move.
	Oversight float64
	Full      bool // full strength: thinks as long as its limits allow
}

// AlphaBeta sets c to an alpha-beta search of this level, with random choices from seed, and
// returns the depth of the search. If c names no version it takes the baseline, with which the
// levels were measured.
func (l Level) AlphaBeta(c *alphabeta.Config, seed uint64) (depth int) {
	if c.Version == "" {
		c.Version = alphabeta.Baseline
	}
	c.RandomTies, c.Oversight, c.Seed = l.Ties, l.Oversight, seed
	return l.Depth
}

// levels are the strengths from beginner to full; the first is level 1.
var levels = []Level{
	{Visits: 2, Temperature: 3, Blunder: 1, Depth: 1, Ties: 80, Oversight: 0.5},
	{Visits: 4, Temperature: 2, Blunder: 1, Depth: 1, Ties: 36, Oversight: 0.32},
	{Visits: 8, Temperature: 1.5, Blunder: 1, Depth: 1, Ties: 20, Oversight: 0.2},
	{Visits: 16, Temperature: 1, Blunder: 0.3, Depth: 2, Ties: 14, Oversight: 0.14},
	{Visits: 32, Temperature: 0.7, Blunder: 0.15, Depth: 2, Ties: 5, Oversight: 0.04},
	{Visits: 64, Temperature: 0.5, Blunder: 0.08, Depth: 3, Ties: 3, Oversight: 0.02},
	{Visits: 128, Temperature: 0.3, Blunder: 0.04, Depth: 4},
	{Visits: 400, Depth: 6},
	{Visits: 2000, Depth: 9},
	{Visits: 10000, Depth: 14, Full: true},
}

// DefaultLevel is the level for a person who has not chosen one.
const DefaultLevel = 5

// Levels is the number of levels; they are numbered from 1.
func Levels() int { return len(levels) }

// LevelOf returns the level with number n, in 1..[Levels].
func LevelOf(n int) Level { return levels[n-1] }

// Root returns the rule at the root of a tree search of this level, for an evaluator with a value
// for every move. A level that draws its move uses the Gumbel rule, because its policy ranks all
// moves; that of PUCT ranks only the few visited ones.
func (l Level) Root() mcts.Root {
	if l.Temperature > 0 {
		return mcts.Gumbel
	}
	return mcts.PUCT
}

// BlunderFree reports whether a tree search of this level never knowingly plays a worse move.
func (l Level) BlunderFree() bool { return l.Temperature == 0 || l.Blunder < 0.1 }

// Choose returns the index of the move to play from the result of a tree search. It uses rng only
// to draw a move. A level that does not blunder always plays a move that wins at once.
func (l Level) Choose(r mcts.Result, rng *rand.Rand) int {
	if l.Temperature <= 0 || len(r.Moves) == 1 {
		return r.Best
	}
	floor := math.Inf(-1)
	if v := float64(r.Values[r.Best]); l.Blunder < 1 && !math.IsNaN(v) {
		floor = v - l.Blunder
	}
	weights, sum, most := make([]float64, len(r.Moves)), 0.0, 0.0
	for _, p := range r.Policy {
		most = max(most, float64(p))
	}
	for i, p := range r.Policy {
		value := float64(r.Values[i])
		// value is NaN if the move was not visited.
		if i != r.Best && l.Blunder < 1 && !(value >= floor) {
			continue
		}
		if most > 0 {
			weights[i] = math.Pow(float64(p)/most, 1/l.Temperature)
			sum += weights[i]
		}
	}
	if sum == 0 {
		return r.Best
	}
	x := rng.Float64() * sum
	for i, w := range weights {
		if x -= w; w > 0 && x < 0 {
			return i
		}
	}
	return r.Best
}
