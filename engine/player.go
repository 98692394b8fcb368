package engine

import (
	"context"
	"fmt"
	"time"

	"damier/alphabeta"
	"damier/rules"
)

// Player plays an Engine in matches, within the engine's own limits.
type Player struct {
	engine Engine
	name   string // "" for the engine's with its limits
	more   string // of the name: settings behind the limits
	found  Thought
	known  bool // found is of the last move
}

// NewPlayer returns a player of an engine.
func NewPlayer(e Engine) *Player { return &Player{engine: e} }

// NewTreePlayer returns a player by tree search. With a level above 0 it plays at that, and c.Own
// may be unset.
func NewTreePlayer(v *rules.Variant, c TreeConfig, level int) (*Player, error) {
	c.Own.Whole = c.Own.Time > 0
	if level > 0 {
		c.Own = Limits{Nodes: 1}
	}
	t, err := NewTree(v, c)
	if err != nil {
		return nil, err
	}
	p := NewPlayer(t)
	if level == 0 {
		return p, nil
	}
	p.name = fmt.Sprintf("%s:level=%d", c.Name, level)
	return p, t.SetLevel(level)
}

// NewAlphaBetaPlayer returns a player by alpha-beta search. What is left of the time of a move is of
// no use later: it searches to the end of it.
func NewAlphaBetaPlayer(v *rules.Variant, c alphabeta.Config, l Limits) (*Player, error) {
	l.Whole = l.Time > 0
	a, err := NewAlphaBeta(v, AlphaBetaConfig{Search: c, Own: l})
	if err != nil {
		return nil, err
	}
	p := NewPlayer(a)
	if c.Cores > 1 {
		p.more = fmt.Sprintf(",cores=%d", c.Cores)
	}
	if c.Tables != nil {
		p.more += ",egdb=on"
	}
	return p, nil
}

// Engine returns the engine of the player.
func (p *Player) Engine() Engine { return p.engine }

// Name returns the engine's name with its limits, such as "alphabeta-1:depth=6".
func (p *Player) Name() string {
	if p.name != "" {
		return p.name
	}
	text := p.engine.Own().text(p.engine.Counts()) + p.more
	if text == "" {
		return p.engine.Name()
	}
	return p.engine.Name() + ":" + text
}

// NewGame forgets what was searched.
func (p *Player) NewGame() {
	p.engine.NewGame()
	p.known = false
}

// Seed seeds the choices of the engine.
func (p *Player) Seed(seed uint64) { p.engine.Seed(seed) }

// MoveTime returns the limit of time, 0 for none.
func (p *Player) MoveTime() time.Duration { return p.engine.Own().Time }

// SetLimits limits the next moves by time, as a match by the clock does. Depth and nodes that were
// asked for stay, and what a move does not need of its time is left for later ones.
func (p *Player) SetLimits(_ int, limit time.Duration) {
	l := p.engine.Own()
	l.Time, l.Whole = limit, false
	p.engine.SetOwn(l) // cannot fail with a limit of time
}

// Play returns the move that the engine plays.
func (p *Player) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	found, err := p.engine.Think(ctx, g, Limits{}, nil)
	if err == nil {
		err = ctx.Err() // what it has by then is no move of its strength
	}
	if err != nil {
		return rules.Move{}, err
	}
	p.found, p.known = found, true
	return found.Move, nil
}

// Expectation returns the score in [0,1] that the engine expected at its last move, and false if there
// was none or it was forced.
func (p *Player) Expectation() (float64, bool) {
	if !p.known || p.found.Forced {
		return 0, false
	}
	return p.found.Expected, true
}

// Last returns the thought of the last move.
func (p *Player) Last() Thought { return p.found }
