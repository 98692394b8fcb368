package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"damier/notation"
	"damier/rules"
)

// PlayerConfig holds the settings of a Player. The zero value of an optional field means its
// default.
type PlayerConfig struct {
	Variant *rules.Variant
	Command []string // the program and its arguments
	Dir     string   // its working directory; the present one if empty
	Params  []Arg    // parameters to set before the first game, in this order

	// Limits of each move: Depth, Nodes or Time must be set.
	Limits Limits

	// Grace is the time by which a move may exceed Time before the game is lost: half a second if
	// zero. It is also the time limit for the answer to a stop.
	Grace time.Duration

	// Longest is the time limit for a move without Time: five minutes if zero.
	Longest time.Duration

	// Patience is the time limit for the program to start and to become ready: 30 seconds if zero.
	Patience time.Duration
}

// Player is a Hub program as a player. It starts the program again if it has died. It has the
// methods of the players of package arena, and ends its games by errors as they may. Only one
// goroutine may use it.
type Player struct {
	config PlayerConfig
	run    *process // nil if none is running
	name   string
	fresh  bool   // the program does not know about the present game yet
	clock  *Clock // of the next move, in a match by the clock; nil otherwise
}

// lost is the error of a player that has lost its game.
type lost struct {
	reason rules.Reason
	err    error
}

func (l *lost) Error() string        { return l.err.Error() }
func (l *lost) Unwrap() error        { return l.err }
func (l *lost) Ending() rules.Reason { return l.reason }

// NewPlayer starts the program and makes it ready. The error says what is wrong: the program does
// not exist, does not speak Hub, does not play the variant, or has no such parameter.
func NewPlayer(ctx context.Context, c PlayerConfig) (*Player, error) {
	if len(c.Command) == 0 {
		return nil, errors.New("the program is missing")
	}
	if c.Limits.Depth <= 0 && c.Limits.Nodes <= 0 && c.Limits.Time <= 0 {
		return nil, errors.New("a limit is missing: depth, nodes or time")
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&c.Grace, 500 * time.Millisecond}, {&c.Longest, 5 * time.Minute}, {&c.Patience, 30 * time.Second}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	p := &Player{config: c}
	if err := p.start(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", c.Command[0], err)
	}
	p.name = p.run.client.ID().Name
	if p.name == "" {
		p.name = c.Command[0]
	}
	var limits []string
	for _, a := range c.Limits.line().Args {
		limits = append(limits, strings.TrimPrefix(a.Name, "move-")+"="+a.Value)
	}
	if c.Limits.Time > 0 {
		limits[len(limits)-1] = "time=" + c.Limits.Time.String()
	}
	p.name += ":" + strings.Join(limits, ",")
	return p, nil
}

// start starts the program and makes it ready.
func (p *Player) start(ctx context.Context) error {
	var err error
	if p.run, err = startProcess(p.config.Command, p.config.Dir); err != nil {
		return err
	}
	p.fresh = true
	c, patience := p.run.client, p.config.Patience
	if err := c.Hello(ctx, patience); err != nil {
		return p.run.explain(err)
	}
	if err := c.SetVariant(p.config.Variant); err != nil {
		return err
	}
	for _, a := range p.config.Params {
		if err := c.SetParam(a.Name, a.Value); err != nil {
			return err
		}
	}
	if err := c.Init(ctx, patience); err != nil {
		return p.run.explain(err)
	}
	return nil
}

// Name returns the name that the program gives itself, with the limits.
func (p *Player) Name() string { return p.name }

// MoveTime returns the time limit for a move, 0 for none.
func (p *Player) MoveTime() time.Duration { return p.config.Limits.Time }

// SetLimits sets the time limit for the next moves, as a match by the clock does. It ignores
// visits.
func (p *Player) SetLimits(_ int, limit time.Duration) { p.config.Limits.Time = limit }

// SetClock makes the program plan its own time for the next moves: it gets the time left on its
// clock, the increment after every move, and the number of moves for that time, 0 for the rest of
// the game. Limits.Time then does not apply.
func (p *Player) SetClock(left, increment time.Duration, moves int) {
	// The time left already contains the increment of the last move, and none at first: the engine
	// may never use more.
	increment = min(increment, left)
	p.clock = &Clock{Time: left - increment, Inc: increment, Moves: moves}
}

// NewGame says that another game begins.
func (p *Player) NewGame() { p.fresh = true }

// Play has the program choose a move.
func (p *Player) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	m, err := p.play(ctx, g)
	if err == nil {
		return m, nil
	}
	if cause := ctx.Err(); cause != nil {
		p.stop()
		return m, cause
	}
	failure := &lost{rules.PlayerFailure, err}
	switch {
	case errors.Is(err, rules.ErrIllegalMove):
		failure.reason = rules.IllegalMove
	case errors.Is(err, ErrSilent):
		failure.reason = rules.TimeForfeit
	}
	if errors.Is(err, ErrEnded) {
		p.stop()
	}
	return m, failure
}

func (p *Player) play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if p.run == nil {
		if err := p.start(ctx); err != nil {
			return rules.Move{}, fmt.Errorf("%w: started again: %w", ErrEnded, err)
		}
	}
	c := p.run.client
	if p.fresh {
		if err := c.Send(Line{Command: "new-game"}); err != nil {
			return rules.Move{}, p.run.explain(err)
		}
		p.fresh = false
	}
	limits, limit := p.config.Limits, p.config.Longest
	switch {
	case p.clock != nil:
		limits.Time, limits.Clock = 0, p.clock
		limit = p.clock.Time + p.clock.Inc + p.config.Grace // the match keeps the clock
	case limits.Time > 0:
		limit = limits.Time + p.config.Grace
	}
	done, err := c.Think(ctx, g, limits, limit, p.config.Grace, nil)
	if err != nil {
		return rules.Move{}, p.run.explain(err)
	}
	text, ok := done.Get("move")
	if !ok {
		return rules.Move{}, fmt.Errorf("done without a move in %s", g.Variant().HubString(g.Position()))
	}
	m, err := notation.ParseHub(g.Variant(), g.Position(), text)
	if err != nil && c.last != "" {
		err = fmt.Errorf("%w; before, it said: %s", err, clip(c.last))
	}
	return m, err
}

// stop ends the program.
func (p *Player) stop() {
	if p.run != nil {
		p.run.stop()
	}
	p.run = nil
}

// Close ends the program: with quit, and if that does not help by force.
func (p *Player) Close() error {
	p.stop()
	return nil
}
