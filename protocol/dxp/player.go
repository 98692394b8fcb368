package dxp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"damier/rules"
)

// PlayerConfig holds the settings of a Player.
type PlayerConfig struct {
	Address string        // HOST:PORT on which the partner listens, as a Follower
	Time    time.Duration // time of each player for a game: 5 minutes if zero. See [FormatTime]
	Say     string        // a text to send before the first game; "" for none

	// Grace is the time that the partner may use in addition to its own, for the transport of its
	// messages: a second if zero.
	Grace time.Duration

	Session Config // its Patience also limits the time to connect
}

// Player is the program at the other end of a connection as a player: a Session as Initiator that
// asks for a game whenever one begins. It has the methods of the players of package arena, and
// ends its games by errors as they may. Only one goroutine may use it.
//
// It sends the start position of a game, or any other position without its history. A Player whose
// program breaks the protocol or the connection loses that game, and connects again for the next.
type Player struct {
	config  PlayerConfig
	session *Session // nil when there is no connection
	playing bool     // a game is in progress over it
	fresh   bool     // no game was played over it yet
	known   int      // number of plies of the match's game that the partner knows
	base    int      // number of these that were played before the partner's game began
	used    time.Duration
}

// lost is the error of a player that has lost its game.
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

// drop closes the connection.
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

// NewGame ends the game in progress, if there is one.
func (p *Player) NewGame() {
	if p.playing {
		p.finish(rules.Ongoing, nil)
	}
}

// Play sends the moves since the last call, asks for a game first if none is in progress, and
// waits for the partner's move.
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
		return m, err // a normal end
	}
	if p.session != nil {
		p.session.Say("the game ends here: " + err.Error()) // it may fail
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

// hear waits for the partner's move, or for its GAMEEND.
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

// follows reports whether g is the game in progress over the connection, with one more move.
func (p *Player) follows(g *rules.Game) bool {
	ours := p.session.machine.Game()
	return g.Ply() == p.known+1 && p.known-p.base == ours.Ply() && g.Positions()[p.known].Same(ours.Position())
}

// begin begins a game. It connects again if the partner has closed the connection, which it may do
// between games.
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

// request asks for a game from the present position of g, in which the partner is to move. If only
// one move was played it asks for a game from the start.
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

// GameOver tells the partner the result of the game.
func (p *Player) GameOver(g *rules.Game) {
	if !p.playing {
		return
	}
	outcome, _ := g.Outcome()
	p.finish(outcome, g)
}

// finish ends the game over the connection. It sends the last move of g, if g is not nil and the
// partner does not know the move, and then, when it is our turn, a GAMEEND. A partner that does
// not know that the game is over may make a move before that. On any error it closes the
// connection, and the next game begins on a new one.
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
	ctx := context.Background() // Patience limits the time
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
