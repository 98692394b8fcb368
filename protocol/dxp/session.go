package dxp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"damier/rules"
)

// Config holds the settings of a Session. The zero value of an optional field means its default.
type Config struct {
	Variant *rules.Variant // international draughts
	Name    string         // our name, of which 32 characters are sent; "Damier" if empty

	// Patience is the time limit for an answer of the partner that needs no thinking: 30 seconds
	// if zero.
	Patience time.Duration

	// Idle is the time for which a Follower waits for a request, and the time limit for a move in
	// a game without a clock; no limit if zero.
	Idle time.Duration

	// TakeBack lets the partner take moves back. Otherwise a BACKREQ is refused.
	TakeBack bool

	// Chat, if not nil, is called with the partner's texts, from the goroutine of Request, Await
	// or Play.
	Chat func(text string)

	// Trace, if not nil, is called with all messages; see [NewConn].
	Trace func(direction, text string)
}

func (c Config) withDefaults() Config {
	if c.Name == "" {
		c.Name = "Damier"
	}
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	return c
}

// Errors of a Session.
var (
	// ErrLost is wrapped by the errors after which the session is over: the connection has ended,
	// or the partner is silent or sends unreadable messages.
	ErrLost = errors.New("the partner is lost")

	// ErrTime is wrapped, with ErrLost, by the error for a partner whose clock has run out.
	ErrTime = errors.New("its time is over")
)

// RefusedError is the error of a Request that the partner has refused.
type RefusedError struct {
	Partner string
	Answer  Answer
}

// Error says who refused and why.
func (e *RefusedError) Error() string { return fmt.Sprintf("%s: %s", e.Partner, e.Answer) }

// Clock is a player's clock in a game.
type Clock struct {
	Limited bool          // whether there is a clock
	Left    time.Duration // time left for the game; 0 if it has run out
	Moves   int           // number of moves left; 0 for no limit
}

// Thinker chooses a move in a game that is not over. When the context is done it returns at once,
// and its move is ignored.
type Thinker func(ctx context.Context, g *rules.Game, c Clock) (rules.Move, error)

// Session is a conversation with a partner. Only one goroutine may use it.
type Session struct {
	config  Config
	conn    *Conn
	machine *Machine
	used    [2]time.Duration // by side
}

// NewSession returns a session on a connection, which it then owns. Its error is that of
// [Supports].
func NewSession(c net.Conn, role Role, config Config) (*Session, error) {
	m, err := NewMachine(role, config.Variant)
	if err != nil {
		c.Close()
		return nil, err
	}
	config = config.withDefaults()
	return &Session{config: config, conn: NewConn(c, config.Trace), machine: m}, nil
}

// Close ends the connection.
func (s *Session) Close() error { return s.conn.Close() }

// Partner returns the partner's name, "" before it is known.
func (s *Session) Partner() string { return s.machine.Partner() }

// Say sends a text to the partner.
func (s *Session) Say(text string) error { return s.send(Chat(text)) }

// send sends a message that the state allows.
func (s *Session) send(m Message) error {
	if err := s.machine.Send(m); err != nil {
		return err
	}
	if err := s.conn.Send(m); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil
}

// take handles what was received and returns the message, nil if it has no effect here. The error
// wraps ErrLost, or concerns a move or a game that cannot be played.
func (s *Session) take(r Received) (Message, error) {
	switch {
	case r.Broken:
		return nil, fmt.Errorf("%w: %w", ErrLost, r.Err)
	case r.Err != nil:
		if s.machine.State() == Playing && !s.machine.MyTurn() {
			s.machine.Unreadable()
			return nil, r.Err
		}
		return nil, s.Say("not understood: " + r.Err.Error())
	}
	if text, ok := r.Message.(Chat); ok {
		if s.config.Chat != nil {
			s.config.Chat(string(text))
		}
		return nil, nil
	}
	if err := s.machine.Receive(r.Message); err != nil {
		if errors.Is(err, ErrProtocol) {
			return nil, s.Say(err.Error())
		}
		return r.Message, err
	}
	if _, ok := r.Message.(BackReq); ok && s.machine.State() == Playing {
		return r.Message, s.answerBack()
	}
	return r.Message, nil
}

// answerBack answers a BACKREQ.
func (s *Session) answerBack() error {
	answer := BackNever
	if s.config.TakeBack {
		answer = BackRefused
		if s.machine.CanGoBack() {
			answer = BackAccepted
		}
	}
	return s.send(BackAcc{answer})
}

// wait waits for a message for which found returns true, and handles the others.
func (s *Session) wait(ctx context.Context, limit time.Duration, what string, found func(Message) bool) (Message, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: no %s within %s", ErrLost, what, limit))
		defer cancel()
	}
	for {
		r, err := s.conn.receive(ctx)
		if err != nil {
			return nil, context.Cause(ctx)
		}
		m, err := s.take(r)
		if err != nil {
			return m, err
		}
		if m != nil && found(m) {
			return m, nil
		}
	}
}

func is[M Message](m Message) bool { _, ok := m.(M); return ok }

// Request asks the partner for a game; the name is the session's. A refusal is a [*RefusedError].
func (s *Session) Request(ctx context.Context, r GameReq) error {
	r.Name = s.config.Name
	if err := s.send(r); err != nil {
		return err
	}
	m, err := s.wait(ctx, s.config.Patience, "answer to the request for a game", is[GameAcc])
	if err != nil {
		return err
	}
	s.used = [2]time.Duration{}
	if a := m.(GameAcc); a.Answer != Accepted {
		return &RefusedError{a.Name, a.Answer}
	}
	return nil
}

// Await waits until the partner asks for a game that can be played and that accept, if not nil,
// accepts.
func (s *Session) Await(ctx context.Context, accept func(GameReq) Answer) (GameReq, error) {
	for {
		m, err := s.wait(ctx, s.config.Idle, "request for a game", is[GameReq])
		r, ok := m.(GameReq)
		if !ok {
			return GameReq{}, err
		}
		answer := Accepted
		switch {
		case r.Version > 1:
			answer = WrongVersion
		case err != nil:
			answer = NotThisGame
		case accept != nil:
			answer = accept(r)
		}
		if e := s.send(GameAcc{s.config.Name, answer}); e != nil {
			return r, e
		}
		if answer == Accepted {
			s.used = [2]time.Duration{}
			return r, nil
		}
		if err != nil {
			if e := s.Say(err.Error()); e != nil {
				return r, e
			}
		}
	}
}

// name returns a partner's name for messages.
func name(partner string) string {
	if partner == "" {
		return "the partner"
	}
	return partner
}
