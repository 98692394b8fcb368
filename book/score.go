package book

import (
	"math"

	"damier/rules"
)

// Score is an expected score for the side to move as a fixed-point number: 0 a loss, one a win.
type Score uint16

// one is the score of a win. It is even, so a draw is a whole number too.
const one Score = 1<<15 - 2

// ScoreOf returns the score nearest to an expected score in [0,1].
func ScoreOf(expected float64) Score {
	if math.IsNaN(expected) {
		return one / 2
	}
	return Score(math.Round(min(max(expected, 0), 1) * float64(one)))
}

// Expected returns the expected score in [0,1].
func (s Score) Expected() float64 { return float64(s) / float64(one) }

// flip returns the score for the other side.
func (s Score) flip() Score { return one - min(s, one) }

// decided reports whether the score is so near to a win or a loss that there is nothing to find.
func (s Score) decided() bool { return s < one/50 || s > one-one/50 }

// ended returns the score of a position in which the game is over; false if it goes on. It uses g,
// a game of the variant.
func ended(g *rules.Game, p rules.Position) (Score, bool) {
	g.Reset(p)
	if !g.Over() {
		return 0, false
	}
	outcome, _ := g.Outcome()
	return ScoreOf(float64(outcome.WDL(p.Turn).Score())), true
}
