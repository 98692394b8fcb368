package dxp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"damier/rules"
)

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
