package dxp_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"damier/arena"
	"damier/protocol/dxp"
	"damier/rules"
)

// serve listens and calls follow for each connection, one after another.
func serve(t testing.TB, follow func(c net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			follow(c)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// follower plays with a Thinker until the connection ends.
func follower(think dxp.Thinker) func(net.Conn) {
	return func(c net.Conn) {
		s, err := dxp.NewSession(c, dxp.Follower, config("Follower"))
		if err != nil {
			return
		}
		for {
			if _, err := s.Await(context.Background(), nil); err != nil {
				return
			}
			if _, err := s.Play(context.Background(), think); err != nil {
				return
			}
		}
	}
}

// factory makes players, and closes them at the end of the test if they are still open.
func factory(t testing.TB, address string, length time.Duration) arena.Factory {
	return func() (arena.Player, error) {
		p, err := dxp.NewPlayer(context.Background(), dxp.PlayerConfig{
			Address: address, Time: length, Grace: 200 * time.Millisecond, Session: config("Match"),
		})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { p.Close() })
		return p, nil
	}
}

func TestPlayerKeepsTheContract(t *testing.T) {
	address := serve(t, follower(random(5)))
	if err := arena.TestPlayer(t.Context(), international, factory(t, address, 0)); err != nil {
		t.Error(err)
	}
}

// A match of a hundred games against our own side of the protocol, with openings and without, has
// no fault.
func TestMatch(t *testing.T) {
	address := serve(t, follower(random(6)))
	openings, err := arena.Openings(international)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range [][]arena.Opening{nil, openings} {
		m := arena.Match{
			Variant: international, Games: 50, Concurrency: 1, Openings: o,
			A: factory(t, address, 0), B: func() (arena.Player, error) { return arena.NewRandom(1), nil },
			OnGame: func(g arena.GameRecord) error {
				if g.Fault != "" {
					t.Errorf("game %d: %s", g.Number, g.Fault)
				}
				return nil
			},
		}
		r, err := m.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Games() != 50 || r.Failures != [2]int{} || r.Forfeits != [2]int{} || r.Illegal != [2]int{} {
			t.Errorf("%+v", r)
		}
	}
}

// Every kind of failure loses the game with a named reason, and the match continues.
func TestPlayerFailures(t *testing.T) {
	answer := func(c net.Conn, r *raw, then func(r *raw)) {
		r.hear("R")
		r.say(acc("0"))
		then(r)
	}
	read := func(r *raw) { // White's first move, if there is one
		r.c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		r.r.ReadString(0)
	}
	for _, c := range []struct {
		name   string
		follow func(r *raw)
		reason rules.Reason
		says   string
	}{
		{"closes", func(r *raw) {}, rules.PlayerFailure, "closed the connection"},
		{"refuses", func(r *raw) { r.say(acc("3")) }, rules.PlayerFailure, "Raw: no games are played"},
		{"rubbish", func(r *raw) { answer(r.c, r, func(r *raw) { read(r); r.say("Mmmm") }) }, rules.PlayerFailure, `MOVE "Mmmm"`},
		{"no frame", func(r *raw) {
			answer(r.c, r, func(r *raw) { r.c.Write(make([]byte, 0)); r.c.Write([]byte(strings.Repeat("x", 999))) })
		},
			rules.PlayerFailure, "more than 127 bytes"},
		{"illegal move", func(r *raw) { answer(r.c, r, func(r *raw) { read(r); r.say("M0000010100") }) }, rules.IllegalMove, "illegal move M0000010100"},
		{"silent", func(r *raw) { answer(r.c, r, func(r *raw) { time.Sleep(900 * time.Millisecond) }) }, rules.TimeForfeit, "its time is over, of which it had 600ms"},
		{"resigns", func(r *raw) { answer(r.c, r, func(r *raw) { read(r); r.say("E10"); r.hear("E00") }) }, rules.Resignation, "Raw gives up"},
		{"claims a draw", func(r *raw) { answer(r.c, r, func(r *raw) { read(r); r.say("E20"); r.hear("E00") }) }, rules.PlayerFailure, "claims a draw"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(conn net.Conn) {
				r := newRaw(conn)
				c.follow(r)
			})
			limit := time.Minute
			if c.reason == rules.TimeForfeit {
				limit = 600 * time.Millisecond
			}
			games := 0
			m := arena.Match{
				Variant: international, Games: 2, Concurrency: 1,
				A: factory(t, address, limit), B: func() (arena.Player, error) { return arena.NewRandom(1), nil },
				OnGame: func(g arena.GameRecord) error {
					games++
					o, reason := g.Game.Outcome()
					if o != rules.Win(g.A.Opponent()) || reason != c.reason || !strings.Contains(g.Fault, c.says) {
						t.Errorf("game %d: %s, %q, fault %q; want %q, %q", g.Number, o, reason, g.Fault, c.reason, c.says)
					}
					return nil
				},
			}
			if _, err := m.Play(t.Context()); err != nil || games != 2 {
				t.Errorf("%d games, %v", games, err)
			}
		})
	}
}

// newRaw returns a raw partner whose complaints do not fail the test.
func newRaw(c net.Conn) *raw { return &raw{quiet{}, c, newReader(c)} }

func TestNewPlayerErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := l.Addr().String()
	l.Close()
	for want, c := range map[string]dxp.PlayerConfig{
		"is a DXP program listening there": {Address: free, Session: config("x")},
		"whole minutes":                    {Address: free, Time: time.Millisecond, Session: config("x")},
		"not HOST:PORT":                    {Address: "a:b:c", Session: config("x")},
		"not frisian":                      {Address: free, Session: dxp.Config{Variant: rules.Frisian}},
	} {
		if _, err := dxp.NewPlayer(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A match that is interrupted while the partner thinks ends at once.
func TestPlayerInterrupted(t *testing.T) {
	address := serve(t, follower(func(ctx context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Second):
		}
		return g.Legal()[0], nil
	}))
	p, err := factory(t, address, 0)()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := p.Play(ctx, rules.NewGame(international)); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}
