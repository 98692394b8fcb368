package hub

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"damier/rules"
)

// Limits bound one search; it ends at whichever is reached first. Zero fields do not bind.
type Limits struct {
	Depth int   // plies
	Nodes int64 // positions, or simulations of a tree search

	// Time is what the search should take: a plan, and no harm in a little more. What it must never take
	// is the deadline of the context.
	Time time.Duration

	// Whole means that what is left of Time is of no use later: it was given for this move alone.
	Whole bool

	// Clock, if not nil, is the clock of a player that plans its time itself, for the interface's side: an engine
	// gets the Time that was planned.
	Clock *Clock

	// Infinite means: until the context is done. Where it is false and no field binds, the interface has
	// said nothing, and the engine takes its own strength.
	Infinite bool

	// Analyze means that the position is studied, not played: no book, no haste.
	Analyze bool
}

// level is the sum of the level messages since the last go.
type level struct {
	depth    int
	nodes    int64
	infinite bool

	moveTime, clock bool // which of the following are given
	perMove         time.Duration
	time, inc       time.Duration
	moves           int // to be played in time; 0 for the rest of the game
}

// add adds a level message, or nothing if there is an error in it.
func (l *level) add(line Line) error {
	sum := *l
	for _, a := range line.Args {
		var err error
		switch a.Name {
		case "depth":
			sum.depth, err = count(a, math.MaxInt32)
		case "nodes":
			var n int
			n, err = count(a, math.MaxInt64)
			sum.nodes = int64(n)
		case "moves":
			sum.moves, err = count(a, 10000)
		case "move-time":
			sum.moveTime = true
			sum.perMove, err = seconds(a)
		case "time":
			sum.clock = true
			sum.time, err = seconds(a)
		case "inc":
			sum.inc, err = seconds(a)
		case "infinite":
			sum.infinite = true
		}
		if err != nil {
			return err
		}
	}
	*l = sum
	return nil
}

// count reads a whole number up to limit; more is cut to it. 0 is no limit, as some interfaces write it.
func count(a Arg, limit int) (int, error) {
	n, err := strconv.ParseFloat(a.Value, 64)
	if err != nil || n < 0 || n != math.Trunc(n) {
		return 0, fmt.Errorf("level %s=%q: write a whole number, 0 for none", a.Name, a.Value)
	}
	if n >= float64(limit) {
		return limit, nil
	}
	return int(n), nil
}

// seconds reads a time. A clock that has run out, below 0, is one of 0; more than a year is a year.
func seconds(a Arg) (time.Duration, error) {
	s, err := strconv.ParseFloat(a.Value, 64)
	if err != nil || math.IsNaN(s) {
		return 0, fmt.Errorf("level %s=%q: write seconds, as 1.5", a.Name, a.Value)
	}
	return time.Duration(min(max(s, 0), 365*24*3600) * float64(time.Second)), nil
}

// What is kept back for the way to the interface. A fixed time per move comes round again and loses little. A
// clock that runs out loses the game, so there it is more, up to half of what is left.
const (
	moveReserve  = 50 * time.Millisecond
	clockReserve = 100 * time.Millisecond
)

// Clock is a player's clock.
//
// The increment comes before the move, as Hub has it: a move may take Time and Inc together. Where it comes after the
// move, what is left has it already, and Time is what is left without it.
type Clock struct {
	Time  time.Duration // left
	Inc   time.Duration // added before each move
	Moves int           // to be played in Time; 0 for the rest of the game
}

// Plan returns the time that a move in p should take and the time it must not exceed.
//
// A clock's increment comes before the move, so the move may use it. Of the time itself the move is
// planned to take an equal share: one part in the moves to the next control or, in sudden death, in the
// moves that the game may still last, ten and half the number of pieces. It may stretch to four shares,
// but leaves half of the time on the clock unless it is the last move before the control. With no time
// left the plan is a millisecond, past a deadline that is now.
func (c Clock) Plan(p rules.Position) (should, must time.Duration) {
	should, must = c.plan(p)
	return max(min(should, must), time.Millisecond), must
}

func (c Clock) plan(p rules.Position) (should, must time.Duration) {
	moves := c.Moves
	if moves == 0 {
		moves = 10 + (p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len())/2
	}
	should = c.Time/time.Duration(moves) + c.Inc
	must = c.Time + c.Inc
	must -= min(clockReserve, must/2)
	if moves > 1 {
		must = min(must, 4*should, c.Time/2+c.Inc)
	}
	return should, must
}

// plan returns the time that a move in p should take and the time it must not exceed, as [Clock.Plan] does; ok is false
// if the level has no time in it.
func (l *level) plan(p rules.Position) (should, must time.Duration, ok bool) {
	must = math.MaxInt64
	if l.clock {
		should, must = Clock{l.time, l.inc, l.moves}.plan(p)
	}
	if l.moveTime {
		must = min(must, l.perMove-min(moveReserve, l.perMove/10))
		if !l.clock {
			should = l.perMove
		}
	}
	return max(min(should, must), time.Millisecond), must, l.clock || l.moveTime
}
