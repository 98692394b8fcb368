package web

import (
	"slices"

	"damier/alphabeta"
)

// Level is a strength of play.
type Level struct {
	Visits int     // of a model's search
	Noise  float64 // of a model's choice, see [mcts.Budget]: variety, and the mistakes that come with it

	Depth int             // of the alpha-beta, in plies
	Ties  alphabeta.Score // it plays any of the moves that it holds equal to within this
}

// levels are the strengths from a beginner's to full, the first is level 1.
var levels = []Level{
	{Visits: 1, Noise: 1, Depth: 1, Ties: 80},
	{Visits: 8, Noise: 0.75, Depth: 1, Ties: 30},
	{Visits: 25, Noise: 0.5, Depth: 2, Ties: 15},
	{Visits: 50, Noise: 0.25, Depth: 3, Ties: 5},
	{Visits: 100, Noise: 0.1, Depth: 4, Ties: 2},
	{Visits: 200, Depth: 6},
	{Visits: 400, Depth: 8},
	{Visits: 800, Depth: 10},
	{Visits: 2000, Depth: 12},
	{Visits: 6000, Depth: 14},
}

// defaultLevel is a level for somebody who has not chosen.
const defaultLevel = 4

// Levels returns the strengths from a beginner's to full, for who offers them elsewhere.
func Levels() []Level { return slices.Clone(levels) }
