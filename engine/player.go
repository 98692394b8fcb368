package engine

import (
	"context"
	"fmt"
	"time"

	"damier/alphabeta"
	"damier/rules"
)

// Player plays matches with an Engine, within the engine's own limits.
type Player struct {
	engine Engine
	name   string // "" for the name of the engine with its limits
	more   string // part of the name: settings after the limits
	found  Thought
	known  bool          // found is the thought of the last move
	most   time.Duration // longest time for the next move, 0 for none besides the engine's own limits
}

// NewPlayer returns a player of an engine.
func NewPlayer(e Engine) *Player { return &Player{engine: e} }

// NewTreePlayer returns a player that uses tree search. With a level above 0 it plays at that
// level, and c.Own may be unset.
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

// NewAlphaBetaPlayer returns a player that uses alpha-beta search. It uses all the time of each
// move.
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

// UseBook gives the player a book.
func (p *Player) UseBook(b Book, use BookUse) {
	p.engine = NewOpener(p.engine, b, use)
	if p.name != "" {
		p.name += ",book=on"
	} else {
		p.more += ",book=on"
	}
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

// NewGame forgets earlier searches.
func (p *Player) NewGame() {
	p.engine.NewGame()
	p.known = false
}

// Seed seeds the choices of the engine.
func (p *Player) Seed(seed uint64) { p.engine.Seed(seed) }

// MoveTime returns the time limit for a move, 0 for none.
func (p *Player) MoveTime() time.Duration { return p.engine.Own().Time }

// SetLimits sets the time limit for the next moves, as a match by the clock does. Limits of depth
// and nodes stay, and time that a move does not need remains on the clock for later ones.
func (p *Player) SetLimits(_ int, limit time.Duration) {
	l := p.engine.Own()
	l.Time, l.Whole = limit, false
	p.engine.SetOwn(l) // cannot fail, because a time limit is set
	p.most = 0
}

// SetMost sets the longest time for the next move. After SetLimits a search may use it instead of
// the limit if its best move becomes worse.
func (p *Player) SetMost(most time.Duration) { p.most = most }

// Play returns the move that the engine plays.
func (p *Player) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	bounded := ctx
	if p.most > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, p.most)
		defer cancel()
	}
	found, err := p.engine.Think(bounded, g, Limits{}, nil)
	if err == nil {
		err = ctx.Err() // the search was cut short, so its move is weaker than the player
	}
	if err != nil {
		return rules.Move{}, err
	}
	p.found, p.known = found, true
	return found.Move, nil
}

// Expectation returns the expected score in [0,1] for the player at its last move. It returns
// false if there was no move yet or the move was forced.
func (p *Player) Expectation() (float64, bool) {
	if !p.known || p.found.Forced {
		return 0, false
	}
	return p.found.Expected, true
}

// Last returns the thought of the last move.
func (p *Player) Last() Thought { return p.found }
