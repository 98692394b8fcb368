package engine

import (
	"math"
	"math/rand/v2"

	"damier/alphabeta"
	"damier/mcts"
)

// Level is a strength of play, of a model and of the alpha-beta.
type Level struct {
	// Visits of a model's search. Full strength goes on beyond them as long as its clock gives, where there is one.
	Visits int

	// Temperature of a model's choice among the moves: they are drawn in proportion to policy^(1/Temperature). With 0 it
	// plays the best.
	Temperature float64

	// Blunder is how much expected score, in [0,1], a drawn move may give away by what the search has seen; with 1 any.
	// A level of less than 1 never plays a move that the search has not looked at.
	Blunder float64

	Depth     int             // of the alpha-beta's search, in plies
	Ties      alphabeta.Score // the alpha-beta plays any of the moves that it holds equal to within this; a man is 100
	Oversight float64         // share of the alpha-beta's moves, in [0,1], that are any move at all
	Full      bool            // thinks as long as it may
}

// AlphaBeta sets what an alpha-beta search of this level is, its choices seeded, and returns the depth to search to. The
// levels were measured with the baseline's search: it is theirs unless a version is named.
func (l Level) AlphaBeta(c *alphabeta.Config, seed uint64) (depth int) {
	if c.Version == "" {
		c.Version = alphabeta.Baseline
	}
	c.RandomTies, c.Oversight, c.Seed = l.Ties, l.Oversight, seed
	return l.Depth
}

// levels are the strengths from a beginner's to full, the first is level 1.
var levels = []Level{
	{Visits: 2, Temperature: 3, Blunder: 1, Depth: 1, Ties: 80, Oversight: 0.5},
	{Visits: 8, Temperature: 1.5, Blunder: 1, Depth: 1, Ties: 30, Oversight: 0.3},
	{Visits: 16, Temperature: 1, Blunder: 0.3, Depth: 2, Ties: 15, Oversight: 0.15},
	{Visits: 32, Temperature: 0.7, Blunder: 0.15, Depth: 3, Ties: 5, Oversight: 0.05},
	{Visits: 64, Temperature: 0.5, Blunder: 0.08, Depth: 4, Ties: 2},
	{Visits: 128, Temperature: 0.3, Blunder: 0.04, Depth: 6},
	{Visits: 400, Depth: 8},
	{Visits: 1000, Depth: 10},
	{Visits: 3000, Depth: 12},
	{Visits: 10000, Depth: 14, Full: true},
}

// DefaultLevel is the number of a level for somebody who has not chosen.
const DefaultLevel = 4

// Levels is the number of levels; they are numbered from 1.
func Levels() int { return len(levels) }

// LevelOf returns a level by its number, in 1..Count.
func LevelOf(n int) Level { return levels[n-1] }

// Root returns the rule at the root of a tree search of this level over an evaluator that judges every move. Where the
// level draws its move, that is the Gumbel rule: its policy ranks all moves, PUCT's only the few that were visited.
func (l Level) Root() mcts.Root {
	if l.Temperature > 0 {
		return mcts.Gumbel
	}
	return mcts.PUCT
}

// BlunderFree reports whether a model of this level gives nothing away knowingly.
func (l Level) BlunderFree() bool { return l.Temperature == 0 || l.Blunder < 0.1 }

// Choose returns the index of the move to play of what a model's search has found. rng is not used where nothing is
// drawn. A move that wins at once is always played by a level that does not blunder.
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
		if i != r.Best && l.Blunder < 1 && !(value >= floor) { // NaN: it was not looked at
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
