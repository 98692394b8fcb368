package arena

import (
	"time"

	"damier/rules"
)

// GameRecord is a finished game of a match. Its Game must not be changed.
type GameRecord struct {
	Number  int         // from 0; games 2i and 2i+1 are a pair
	Opening int         // index in the openings of the match; -1 for none
	Prefix  int         // number of plies that belong to the opening
	A       rules.Color // the side of player A
	White   string      // names of the players
	Black   string
	Game    *rules.Game
	Elapsed [2]time.Duration // by colour, summed over the game
	// The error text of a player that lost by an [Ending]; "" in any other game.
	Fault string

	Overruns [2]int // moves that exceeded the player's time limit, by player: A, B
}

// Points returns the result for A: 0 for a loss, 1 for a draw, 2 for a win.
func (r GameRecord) Points() int {
	switch o, _ := r.Game.Outcome(); o {
	case rules.Win(r.A):
		return 2
	case rules.Draw:
		return 1
	}
	return 0
}

// Result is the result of a match. Only complete pairs count.
type Result struct {
	A, B   string // names
	Wins   int    // of A
	Draws  int
	Losses int // of A
	Pairs  Pentanomial

	Distinct int // number of different games
	// Pairs of numbers of equal games, the earlier one first. They are a sign of a wrong set-up.
	Duplicates [][2]int
	Plies      int // in all games together
	PlyLimits  int // games drawn by MaxPlies
	Judged     int // games ended by adjudication

	// By player, A and then B.
	Illegal  [2]int // games lost by an illegal move
	Failures [2]int // games lost by a player that died or broke its protocol
	Forfeits [2]int // games lost on time
	Overruns [2]int // moves that exceeded the player's time limit

	Verdict     Verdict // of the SPRT; Inconclusive without one
	LLR         float64 // of the SPRT
	Interrupted bool    // the context ended the match early
}

// Games returns the number of games that count.
func (r Result) Games() int { return r.Wins + r.Draws + r.Losses }

// Score returns A's score in [0,1].
func (r Result) Score() float64 { return r.Pairs.Score() }
