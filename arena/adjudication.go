package arena

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"damier/rules"
)

// Adjudication ends games early when both players have expected the same result for a while. It
// saves time, but a blunder that would have come later no longer changes the result. A match has
// none by default.
type Adjudication struct {
	Moves int     // number of consecutive moves of each side that must agree
	Win   float64 // a win, if both expect at least this score for one side: in (0.5, 1]
	// A draw, if both expect a score no further than this from one half: in [0, 0.5); 0 for never.
	Draw  float64
	After int // no draw before this many plies of the game, including the opening
}

// DefaultAdjudication holds the defaults of [ParseAdjudication].
var DefaultAdjudication = Adjudication{Moves: 6, Win: 0.98, Draw: 0.02, After: 80}

// Tables know the results of positions with few pieces: endgame tables. Many goroutines may call
// them at once.
type Tables interface {
	// Pieces returns the largest number of pieces, of both sides together, of positions that they
	// may know.
	Pieces() int

	// Solve returns the outcome of the game from p under perfect play, with the draw counters of
	// p, and the number of plies to it; ok is false if they do not know. exact false means a win
	// that a draw counter may still prevent.
	Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)
}

// judgeByTables ends a game whose position t knows. t may be nil.
func judgeByTables(t Tables, g *rules.Game) {
	if t == nil || g.Over() {
		return
	}
	p := g.Position()
	if p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() > t.Pieces() {
		return
	}
	if outcome, _, exact, ok := t.Solve(p); ok && exact {
		g.End(outcome, rules.Adjudication)
	}
}

// Estimator is a Player that knows its expected score. Adjudication needs two of them.
type Estimator interface {
	// Expectation returns the score in [0,1] that the player expected for itself at its last move.
	// It returns false if it does not know, for example because the move was forced.
	Expectation() (float64, bool)
}

// ParseAdjudication reads settings such as "moves=6,win=0.98,draw=0.02,after=80". Settings left
// out, and all of "default", are those of DefaultAdjudication.
func ParseAdjudication(s string) (Adjudication, error) {
	a := DefaultAdjudication
	if s == "default" {
		return a, nil
	}
	for _, setting := range strings.Split(s, ",") {
		name, value, _ := strings.Cut(setting, "=")
		var err error
		switch name {
		case "moves":
			a.Moves, err = strconv.Atoi(value)
		case "after":
			a.After, err = strconv.Atoi(value)
		case "win":
			a.Win, err = strconv.ParseFloat(value, 64)
		case "draw":
			a.Draw, err = strconv.ParseFloat(value, 64)
		default:
			return a, fmt.Errorf("adjudication: %q is not a setting; there are moves, win, draw and after", name)
		}
		if err != nil {
			return a, fmt.Errorf("adjudication: %s %q is not a number", name, value)
		}
	}
	return a, a.Validate()
}

// Validate returns an error that names the first bad field.
func (a Adjudication) Validate() error {
	switch {
	case a.Moves < 1:
		return fmt.Errorf("adjudication: moves %d is not above 0", a.Moves)
	case !(a.Win > 0.5 && a.Win <= 1):
		return fmt.Errorf("adjudication: win %g is not in (0.5, 1]", a.Win)
	case !(a.Draw >= 0 && a.Draw < 0.5):
		return fmt.Errorf("adjudication: draw %g is not in [0, 0.5)", a.Draw)
	case a.After < 0:
		return fmt.Errorf("adjudication: after %d is negative", a.After)
	}
	return nil
}

// String returns the settings as [ParseAdjudication] reads them.
func (a Adjudication) String() string {
	return fmt.Sprintf("moves=%d,win=%g,draw=%g,after=%d", a.Moves, a.Win, a.Draw, a.After)
}

// adjudicator counts, for each result, the consecutive moves at which each side has expected it.
type adjudicator struct {
	Adjudication
	white, black, draw [2]int // by the side that moved
}

// update counts the expectation of the player that has just moved, and returns the result on which
// the players agree, Ongoing for none. It ignores a move without an expectation.
func (j *adjudicator) update(p Player, turn rules.Color, ply int) rules.Outcome {
	e, able := p.(Estimator)
	if !able {
		return rules.Ongoing
	}
	x, ok := e.Expectation()
	if !ok {
		return rules.Ongoing
	}
	if turn == rules.Black {
		x = 1 - x
	}
	agreed := func(n *[2]int, agrees bool) bool {
		if n[turn]++; !agrees {
			*n = [2]int{}
		}
		return min(n[0], n[1]) >= j.Moves
	}
	white := agreed(&j.white, x >= j.Win)
	black := agreed(&j.black, x <= 1-j.Win)
	draw := agreed(&j.draw, j.Draw > 0 && math.Abs(x-0.5) <= j.Draw)
	switch {
	case white:
		return rules.WhiteWins
	case black:
		return rules.BlackWins
	case draw && ply >= j.After:
		return rules.Draw
	}
	return rules.Ongoing
}
