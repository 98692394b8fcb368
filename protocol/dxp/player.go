package dxp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"damier/rules"
)

// PlayerConfig says whom a Player connects to and what they play.
type PlayerConfig struct {
	Address string        // HOST:PORT where the partner listens, as a Follower
	Time    time.Duration // of a player for a game: 5 minutes when zero. See [FormatTime]
	Say     string        // a text that is sent before the first game; "" for none

	// Grace is how much more than its time the partner may use, for the way of its messages: a second when
	// zero.
	Grace time.Duration

	Session Config // its Patience is also how long a connection may take
}

// Player is the program at the other end of a connection as a player: a Session as Initiator that asks for a game
// whenever one begins. It has the methods of the players of package arena, and ends its games by its errors as
// those may. It belongs to one goroutine.
//
// The start of the game is told as such, any other position without its history. A Player that breaks the protocol, or
// off, has lost that game, and is connected to anew for the next.
type Player struct {
	config  PlayerConfig
	session *Session // nil when there is no connection
	playing bool     // a game is going on over it
	fresh   bool     // no game has been over it yet
	known   int      // plies of the match's game that the partner knows
	base    int      // of these, played before the partner's game began
	used    time.Duration
}

// lost is the error of a player that has lost its game without a move.
type lost struct {
	reason rules.Reason
	err    error
}

func (l *lost) Error() string        { return l.err.Error() }
func (l *lost) Unwrap() error        { return l.err }
func (l *lost) Ending() rules.Reason { return l.reason }

// NewPlayer returns a player and connects to the program.
func NewPlayer(ctx context.Context, c PlayerConfig) (*Player, error) {
	var err error
	if err := Supports(c.Session.Variant); err != nil {
		return nil, err
	}
	if c.Time == 0 {
		c.Time = 5 * time.Minute
	}
	if _, err := FormatTime(c.Time); err != nil {
		return nil, err
	}
	if c.Grace == 0 {
		c.Grace = time.Second
	}
	if c.Address, err = Address(c.Address); err != nil {
		return nil, err
	}
	c.Session = c.Session.withDefaults()
	p := &Player{config: c}
	if err := p.connect(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Player) connect(ctx context.Context) error {
	d := net.Dialer{Timeout: p.config.Session.Patience}
	c, err := d.DialContext(ctx, "tcp", p.config.Address)
	if err != nil {
		return fmt.Errorf("%w: is a DXP program listening there?", err)
	}
	if p.session, err = NewSession(c, Initiator, p.config.Session); err != nil {
		return err
	}
	p.playing, p.fresh = false, true
	if p.config.Say != "" {
		return p.session.Say(p.config.Say)
	}
	return nil
}

// drop ends the connection.
func (p *Player) drop() {
	if p.session != nil {
		p.session.Close()
	}
	p.session, p.playing = nil, false
}

// Close ends the connection.
func (p *Player) Close() error {
	p.drop()
	return nil
}

// Name returns the address and the time of a game.
func (p *Player) Name() string {
	return fmt.Sprintf("dxp:%s,time=%s", p.config.Address, p.config.Time)
}

// Partner returns the name that the program gives itself, "" while it is not known.
func (p *Player) Partner() string {
	if p.session == nil {
		return ""
	}
	return p.session.Partner()
}

// NewGame ends the game that is still going on, if there is one.
func (p *Player) NewGame() {
	if p.playing {
		p.finish(rules.Ongoing, nil)
	}
}

// Play sends what was played since the last move, asks for a game first if none is going on, and waits for the
// partner's move.
func (p *Player) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	m, err := p.play(ctx, g)
	if err == nil {
		p.known = g.Ply() + 1
		return m, nil
	}
	var ending *lost
	if errors.As(err, &ending) && ending.reason == rules.Resignation {
		return m, err // in good order
	}
	if p.session != nil {
		p.session.Say("the game ends here: " + err.Error()) // if it can still be said
	}
	p.drop()
	if cause := ctx.Err(); cause != nil {
		return m, cause
	}
	if ending != nil {
		return m, err
	}
	return m, &lost{rules.PlayerFailure, err}
}

func (p *Player) play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if p.playing && !p.follows(g) {
		p.finish(rules.Ongoing, nil)
	}
	if !p.playing {
		if err := p.begin(ctx, g); err != nil {
			return rules.Move{}, err
		}
	}
	s := p.session
	if g.Ply() > p.known {
		if err := s.send(moveMessage(g.Moves()[g.Ply()-1], 0)); err != nil {
			return rules.Move{}, err
		}
	}
	return p.hear(ctx)
}

// hear waits for the partner's move, or its end of the game.
func (p *Player) hear(ctx context.Context) (rules.Move, error) {
	s := p.session
	began := time.Now()
	left := p.config.Time + p.config.Grace - p.used
	_, err := s.wait(ctx, max(left, time.Millisecond), "move", func(Message) bool {
		return s.machine.State() != Playing || s.machine.MyTurn()
	})
	p.used += time.Since(began)
	switch {
	case ctx.Err() != nil:
		return rules.Move{}, ctx.Err()
	case p.used >= p.config.Time+p.config.Grace:
		return rules.Move{}, &lost{rules.TimeForfeit, fmt.Errorf("%w: %w, of which it had %s for the game", ErrLost, ErrTime, p.config.Time)}
	case errors.Is(err, ErrLost):
		return rules.Move{}, err
	case errors.Is(err, rules.ErrIllegalMove):
		return rules.Move{}, &lost{rules.IllegalMove, err}
	case err != nil:
		return rules.Move{}, err
	case s.machine.State() != Playing:
		_, end := s.machine.Ends()
		p.playing = false
		if err := s.send(GameEnd{Stop: end.Stop}); err != nil || end.Stop {
			p.drop()
		}
		if end.Claim == ILose {
			return rules.Move{}, &lost{rules.Resignation, fmt.Errorf("%s gives up", name(s.Partner()))}
		}
		return rules.Move{}, fmt.Errorf("%s ends a game that is not over, and claims %s", name(s.Partner()), end.Claim)
	}
	moves := s.machine.Game().Moves()
	return moves[len(moves)-1], nil
}

// follows reports whether g is the game that goes on over the connection, with one move more.
func (p *Player) follows(g *rules.Game) bool {
	ours := p.session.machine.Game()
	return g.Ply() == p.known+1 && p.known-p.base == ours.Ply() && g.Positions()[p.known].Same(ours.Position())
}

// begin begins a game, on a new connection if there is none any more: a partner may close it between games.
func (p *Player) begin(ctx context.Context, g *rules.Game) error {
	if p.session != nil {
		if err := p.request(ctx, g); !errors.Is(err, ErrLost) || p.fresh {
			return err
		}
		p.drop()
	}
	if err := p.connect(ctx); err != nil {
		return err
	}
	return p.request(ctx, g)
}

// request asks for a game from the game's position, in which the partner is to move; or, where only one move was played,
// from the start.
func (p *Player) request(ctx context.Context, g *rules.Game) error {
	v := g.Variant()
	r := GameReq{Follower: g.Position().Turn, Time: p.config.Time}
	p.known = g.Ply()
	if g.Start() == v.Start() && g.Ply() < 2 {
		p.known = 0
	} else {
		position := g.Position()
		start := rules.NewPosition(position.Pieces(rules.White), position.Pieces(rules.Black),
			position.Kings(rules.White).Or(position.Kings(rules.Black)), position.Turn)
		r.Start = &start
	}
	p.base, p.used = p.known, 0
	if err := p.session.Request(ctx, r); err != nil {
		return err
	}
	p.playing, p.fresh = true, false
	return nil
}

// GameOver tells the partner how the game ended.
func (p *Player) GameOver(g *rules.Game) {
	if !p.playing {
		return
	}
	outcome, _ := g.Outcome()
	p.finish(outcome, g)
}

// finish ends the game over the connection: it sends the last move of g, if g is not nil and the partner does not know
// it, and then, when it is ours to speak, a GAMEEND. A partner who does not see that the game is over may make a
// move before. If anything goes wrong the connection is dropped: the next game begins on a new one.
func (p *Player) finish(outcome rules.Outcome, g *rules.Game) {
	s := p.session
	if err := p.end(s, outcome, g); err != nil {
		p.drop()
		return
	}
	p.playing = false
}

func (p *Player) end(s *Session, outcome rules.Outcome, g *rules.Game) error {
	if g != nil && p.follows(g) {
		if err := s.send(moveMessage(g.Moves()[g.Ply()-1], 0)); err != nil {
			return err
		}
	}
	ctx := context.Background() // bounded by the patience
	if s.machine.State() == Playing && !s.machine.MyTurn() {
		_, err := s.wait(ctx, s.config.Patience, "end of the game", func(Message) bool {
			return s.machine.State() != Playing || s.machine.MyTurn()
		})
		if err != nil {
			return err
		}
	}
	var stop bool
	if s.machine.State() == Playing {
		if err := s.send(GameEnd{Claim: claimOf(outcome, s.machine.Mine())}); err != nil {
			return err
		}
		if err := s.acknowledged(ctx); err != nil {
			return err
		}
		_, end := s.machine.Ends()
		stop = end.Stop
	} else {
		_, end := s.machine.Ends()
		stop = end.Stop
		if err := s.send(GameEnd{Stop: stop}); err != nil {
			return err
		}
	}
	if stop {
		return errors.New("the partner wants no more games")
	}
	return nil
}
