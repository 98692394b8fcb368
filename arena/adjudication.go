package arena

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"damier/rules"
)

// Adjudication ends games early when both players have agreed for a while how they will end. It saves time and
// costs honesty: a game that is lost by blunder later on counts as it stood. A match has none by default.
type Adjudication struct {
	Moves int     // so many moves of each side in a row must agree
	Win   float64 // a win, when the expected score of one side is at least this for both: in (0.5, 1]
	Draw  float64 // a draw, when it is no further than this from one half for both: in [0, 0.5); 0 for never
	After int     // no draw before so many plies of the game, the opening's included
}

// DefaultAdjudication is what [ParseAdjudication] begins with.
var DefaultAdjudication = Adjudication{Moves: 6, Win: 0.98, Draw: 0.02, After: 80}

// Tables know how positions of few pieces end: endgame tables. They are asked by many goroutines at once.
type Tables interface {
	// Pieces returns the most pieces, of both sides together, of a position that they may know.
	Pieces() int

	// Solve returns how the game ends from p under perfect play by the draw counters that p has, and in how many plies;
	// ok is false if they do not know. With exact false it is a win that a counter may yet forbid.
	Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)
}

// judgeByTables ends a game whose position t knows, which may be nil.
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

// Estimator is a Player that says what it expects. Adjudication needs two of them.
type Estimator interface {
	// Expectation returns the score in [0,1] that the player expected for itself at its last move, and false
	// if it has no opinion, as when the move was forced.
	Expectation() (float64, bool)
}

// ParseAdjudication reads settings as "moves=6,win=0.98,draw=0.02,after=80"; what is left out is as in
// DefaultAdjudication, and so is all of "default".
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

// jury counts, for each result, at how many moves in a row each side has expected it.
type jury struct {
	Adjudication
	white, black, draw [2]int // by the side that moved
}

// hear takes in what the player that has just moved expects and returns the result agreed on, Ongoing for none. A
// move without an opinion counts for nothing.
func (j *jury) hear(p Player, turn rules.Color, ply int) rules.Outcome {
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
