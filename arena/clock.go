package arena

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Control is a time control: each side has Time for the next Moves moves, or for the whole game if
// Moves is 0, and gets Increment after every move. A side whose clock runs out has lost.
type Control struct {
	Time      time.Duration
	Increment time.Duration
	Moves     int
}

// Clocked is a Player that plans its own time. In a match by the clock SetClock is called before
// every move with the time left, the increment, and the number of moves for that time, 0 for the
// rest of the game.
type Clocked interface {
	SetClock(left, increment time.Duration, moves int)
}

// Paced is a Player whose limits can change before every move. In a match by the clock, a player
// that is not Clocked gets the time of [Control.Allot] for each move, and no limit of visits.
type Paced interface {
	SetLimits(visits int, limit time.Duration)
}

// Stretched is a Paced player that may use more than the time of SetLimits where its search needs
// it. SetMost follows SetLimits, with the time that the move must not exceed.
type Stretched interface {
	SetMost(most time.Duration)
}

// ParseControl reads a time control: "60s+0.5s" is a minute for the game and half a second for
// each move, "40/5m" five minutes for every 40 moves, "40/5m+1s" both.
func ParseControl(s string) (Control, error) {
	fail := func() (Control, error) {
		return Control{}, fmt.Errorf("time control %q is not one such as 60s+0.5s (a minute for the game, half a second more for each move) or 40/5m (five minutes for every 40 moves)", s)
	}
	var c Control
	var err error
	text := s
	if moves, rest, ok := strings.Cut(text, "/"); ok {
		if c.Moves, err = strconv.Atoi(moves); err != nil || c.Moves < 1 {
			return fail()
		}
		text = rest
	}
	base, increment, ok := strings.Cut(text, "+")
	if ok {
		if c.Increment, err = time.ParseDuration(increment); err != nil {
			return fail()
		}
	}
	if c.Time, err = time.ParseDuration(base); err != nil || !ok && c.Moves == 0 {
		return fail()
	}
	if err := c.Validate(); err != nil {
		return Control{}, err
	}
	return c, nil
}

// Validate returns an error that names the first bad field.
func (c Control) Validate() error {
	switch {
	case c.Time <= 0:
		return fmt.Errorf("time control %s: the time must be above 0", c)
	case c.Increment < 0:
		return fmt.Errorf("time control %s: the increment is negative", c)
	case c.Moves < 0:
		return fmt.Errorf("time control %s: the number of moves is negative", c)
	}
	return nil
}

// String returns the control as [ParseControl] reads it.
func (c Control) String() string {
	text := c.Time.String()
	if c.Moves > 0 {
		text = fmt.Sprintf("%d/%s", c.Moves, text)
	}
	if c.Increment > 0 || c.Moves == 0 {
		text += "+" + c.Increment.String()
	}
	return text
}

// clock is the clock of one side.
type clock struct {
	left  time.Duration
	moves int // until the next control; 0 without one
}

func (c Control) start() clock { return clock{c.Time, c.Moves} }

// spend subtracts the time of a move from the clock. It returns false if the time has run out.
func (c Control) spend(k *clock, elapsed time.Duration) bool {
	if k.left -= elapsed; k.left < 0 {
		return false
	}
	k.left += c.Increment
	if c.Moves > 0 {
		if k.moves--; k.moves == 0 {
			k.left += c.Time
			k.moves = c.Moves
		}
	}
	return true
}

// setClock tells a player before a move how much time it has.
func (c Control) setClock(p Player, k clock) {
	for n, ok := p.(Named); ok; n, ok = p.(Named) {
		if n.Unpaced {
			return
		}
		p = n.Player
	}
	switch p := p.(type) {
	case Clocked:
		p.SetClock(k.left, c.Increment, k.moves)
	case Paced:
		p.SetLimits(0, c.Allot(k.left, k.moves))
		if s, ok := p.(Stretched); ok {
			s.SetMost(c.Most(k.left, k.moves))
		}
	}
}

// Allot returns the time for one move of a player that does not plan its own time, with the given
// time left for that many moves, 0 for the rest of the game: an equal share of the time, and most
// of the increment. It leaves at least a tenth of the time, or 20 ms.
func (c Control) Allot(left time.Duration, moves int) time.Duration {
	if moves == 0 {
		// A game lasts at most about 60 moves a side; a fixed share of the time left gives more to
		// the early moves.
		moves = 25
	}
	share := left/time.Duration(moves) + c.Increment*8/10
	most := left - max(left/10, 20*time.Millisecond)
	return max(time.Millisecond, min(share, most))
}

// Most returns the longest time for one move of such a player, at least that of Allot: four shares,
// but no more than half of the time left.
func (c Control) Most(left time.Duration, moves int) time.Duration {
	share := c.Allot(left, moves)
	return max(share, min(4*share, left/2))
}
