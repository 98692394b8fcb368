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

// Report is the result of a game.
type Report struct {
	Game    *rules.Game // with its outcome, if it is known
	Request GameReq
	Mine    rules.Color
	Partner string
	Elapsed [2]time.Duration // by side

	Claimed Claim  // the partner's claim in its GAMEEND; Unknown if there was none
	Fault   string // what went wrong, "" if nothing did
	Stop    bool   // the partner wants no more games
}

// clock returns the clock of a side.
func (s *Session) clock(side rules.Color) Clock {
	r := s.machine.Request()
	c := Clock{Limited: r.Time > 0, Left: max(r.Time-s.used[side], 0)}
	if r.Moves > 0 {
		c.Moves = max(r.Moves-s.played(side), 0)
	}
	return c
}

// played returns the number of moves a side has made.
func (s *Session) played(side rules.Color) int {
	g := s.machine.Game()
	n := g.Ply()
	if g.Start().Turn == side {
		n++
	}
	return n / 2
}

// exhausted reports whether the side to move has made all moves of the game.
func (s *Session) exhausted() bool {
	r := s.machine.Request()
	return r.Moves > 0 && s.played(s.machine.Game().Position().Turn) >= r.Moves
}

// Play plays the agreed game to its end. If the game was broken off, or the partner's claim
// contradicts the rules, the report has a Fault; a game broken off has no outcome. The error wraps
// ErrLost, is that of the context (in both cases the session is over), or is the Thinker's.
func (s *Session) Play(ctx context.Context, think Thinker) (Report, error) {
	m := s.machine
	report := Report{Request: m.Request(), Mine: m.Mine(), Partner: m.Partner()}
	finish := func(err error) (Report, error) {
		report.Game, report.Elapsed = m.Game(), s.used
		if sent, received := m.Ends(); received != nil {
			report.Claimed, report.Stop = received.Claim, received.Stop
			s.settle(&report, sent)
		}
		if err != nil && report.Fault == "" {
			report.Fault = err.Error()
		}
		return report, err
	}
	for m.State() == Playing {
		var err error
		if m.MyTurn() {
			err = s.move(ctx, think, &report)
		} else {
			err = s.hear(ctx, &report)
		}
		if err != nil {
			return finish(err)
		}
	}
	if m.State() == Ended {
		_, received := m.Ends()
		return finish(s.send(GameEnd{Stop: received.Stop}))
	}
	return finish(s.acknowledged(ctx))
}

// acknowledged waits for the answer to our GAMEEND.
func (s *Session) acknowledged(ctx context.Context) error {
	_, err := s.wait(ctx, s.config.Patience, "answer to our GAMEEND", is[GameEnd])
	return err
}

// move makes our move, or ends the game if it is over.
func (s *Session) move(ctx context.Context, think Thinker, report *Report) error {
	m := s.machine
	g := m.Game()
	switch outcome, _ := g.Outcome(); {
	case report.Fault != "":
		return s.send(GameEnd{})
	case outcome != rules.Ongoing:
		return s.send(GameEnd{Claim: claimOf(outcome, m.Mine())})
	case s.exhausted():
		return s.send(GameEnd{})
	}
	type answer struct {
		move rules.Move
		err  error
	}
	found := make(chan answer, 1)
	thinking, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	clock, game := s.clock(m.Mine()), g.Clone()
	go func() {
		move, err := think(thinking, game, clock)
		found <- answer{move, err}
	}()
	stop := func() {
		cancel()
		<-found
	}
	for {
		select {
		case a := <-found:
			elapsed := time.Since(began)
			s.used[m.Mine()] += elapsed
			if err := ctx.Err(); err != nil {
				return err
			}
			if a.err != nil {
				if err := s.send(GameEnd{Claim: ILose}); err != nil {
					return err
				}
				report.Fault = a.err.Error()
				if err := s.acknowledged(ctx); err != nil {
					return err
				}
				return a.err
			}
			return s.send(moveMessage(a.move, elapsed))
		case r := <-s.conn.Received():
			position := g.Position()
			if _, err := s.take(r); err != nil {
				stop()
				return err
			}
			if m.State() != Playing || !m.MyTurn() || g.Position() != position {
				stop()
				return nil
			}
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
}

// moveMessage returns the message of a move.
func moveMessage(m rules.Move, elapsed time.Duration) Move {
	return Move{
		Seconds: int(elapsed.Round(time.Second) / time.Second), From: m.From, To: m.To,
		Captured: board().AppendSquares(nil, m.Captured()),
	}
}

// hear waits for the partner's move or for its GAMEEND. It allows the partner twice its time,
// because the protocol has no clock: the players, or the program that runs the match, decide about
// a loss on time.
func (s *Session) hear(ctx context.Context, report *Report) error {
	m := s.machine
	turn := m.Game().Position().Turn
	limit := s.config.Idle
	if r := m.Request(); r.Time > 0 {
		limit = max(2*r.Time-s.used[turn], s.config.Patience)
	}
	began := time.Now()
	message, err := s.wait(ctx, limit, "move", func(Message) bool { return m.State() != Playing || m.MyTurn() })
	s.used[turn] += time.Since(began)
	if is[Move](message) || m.MyTurn() {
		if err != nil && !errors.Is(err, ErrLost) && ctx.Err() == nil {
			report.Fault = fmt.Sprintf("%s: %v", name(m.Partner()), err)
			return s.Say("the game ends here: " + err.Error())
		}
	}
	return err
}

// name returns a partner's name for messages.
func name(partner string) string {
	if partner == "" {
		return "the partner"
	}
	return partner
}

// settle sets the outcome of a report's game to the one that both ends agree on.
func (s *Session) settle(report *Report, sent *GameEnd) {
	g := report.Game
	partner := report.Mine.Opponent()
	claimed := report.Claimed.Outcome(partner)
	outcome, _ := g.Outcome()
	switch {
	case report.Fault != "":
		g.End(rules.Ongoing, rules.NoReason)
	case claimed == rules.Ongoing:
	case outcome == rules.Ongoing && sent == nil, outcome == rules.Ongoing && sent.Claim == Unknown:
		reason := rules.Adjudication
		switch report.Claimed {
		case ILose:
			reason = rules.Resignation
		case Drawn:
			reason = rules.Agreement
		}
		g.End(claimed, reason)
	case outcome != claimed:
		report.Fault = fmt.Sprintf("%s claims %s, the rules say %s", name(report.Partner), report.Claimed, outcome)
	}
}
