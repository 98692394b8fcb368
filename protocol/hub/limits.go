package hub

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"damier/rules"
)

// Limits bound one search, which ends at the first limit it reaches. Zero fields are no limits.
type Limits struct {
	Depth int   // plies
	Nodes int64 // positions, or simulations of a tree search

	// Time is the planned time of the search, which it may exceed a little. The deadline of the
	// context is the hard limit.
	Time time.Duration

	// Whole means that time not used for this move is lost.
	Whole bool

	// Clock, if not nil, is the clock of a player that plans its own time. Only the interface's
	// side uses it: an engine gets the planned Time.
	Clock *Clock

	// Infinite means: search until the context is done. If it is false and all limits are zero,
	// the interface has sent none, and the engine uses its own.
	Infinite bool

	// Analyze means that a person studies the position: no opening book, and no early end.
	Analyze bool
}

// level collects the level messages since the last go.
type level struct {
	depth    int
	nodes    int64
	infinite bool

	moveTime, clock bool // which of the following are given
	perMove         time.Duration
	time, inc       time.Duration
	moves           int // to be played in time; 0 for the rest of the game
}

// add adds a level message. If it has an error, it adds nothing of it.
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

// count reads a whole number, limited to limit. 0 means no limit, as some interfaces write it.
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

// seconds reads a time. A negative time (a clock that has run out) is 0, and a time of more than a
// year is a year.
func seconds(a Arg) (time.Duration, error) {
	s, err := strconv.ParseFloat(a.Value, 64)
	if err != nil || math.IsNaN(s) {
		return 0, fmt.Errorf("level %s=%q: write seconds, as 1.5", a.Name, a.Value)
	}
	return time.Duration(min(max(s, 0), 365*24*3600) * float64(time.Second)), nil
}

// Time reserved for the transport to the interface. With a fixed time for each move it is short,
// because little is lost. With a clock, where running out of time loses the game, it is longer, up
// to half of the time left.
const (
	moveReserve  = 50 * time.Millisecond
	clockReserve = 100 * time.Millisecond
)

// Clock is a player's clock.
//
// In Hub the increment is added before the move: a move may take Time plus Inc. If it is added
// after the move, the time left already contains it, and Time is the time left without it.
type Clock struct {
	Time  time.Duration // left
	Inc   time.Duration // added before each move
	Moves int           // to be played in Time; 0 for the rest of the game
}

// Plan returns the time that a move in p should take and the time it must not exceed.
//
// The increment is added before the move, so the move may use it. Of the time itself, the plan is
// an equal share: one part of the moves to the next control or, in sudden death, of the moves that
// the game may still last (ten plus half the number of pieces). The hard limit is four shares, but
// leaves half of the time on the clock unless this is the last move before the control. With no
// time left the plan is a millisecond, after a deadline that is now.
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

// plan returns the planned time and the hard limit for a move in p, as [Clock.Plan] does; ok is
// false if the level has no time.
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
