package dxp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"damier/arena"
	"damier/protocol/dxp"
	"damier/rules"
)

var international = rules.International

// pair returns the two ends of a connection.
func pair(t testing.TB) (net.Conn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func config(name string) dxp.Config {
	return dxp.Config{Variant: international, Name: name, Patience: 5 * time.Second}
}

// session returns our end of a session, and a raw partner.
func session(t testing.TB, role dxp.Role, c dxp.Config) (*dxp.Session, *raw) {
	t.Helper()
	a, b := pair(t)
	s, err := dxp.NewSession(a, role, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, &raw{t, b, bufio.NewReader(b)}
}

// complaints receives the complaints of a raw partner: a test, or nobody.
type complaints interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
}

type quiet struct{}

func (quiet) Helper()               {}
func (quiet) Error(...any)          {}
func (quiet) Errorf(string, ...any) {}

func newReader(c net.Conn) *bufio.Reader { return bufio.NewReader(c) }

// raw is a partner whose messages the test writes.
type raw struct {
	t complaints
	c net.Conn
	r *bufio.Reader
}

func (r *raw) say(texts ...string) {
	for _, text := range texts {
		if _, err := r.c.Write(append([]byte(text), 0)); err != nil {
			r.t.Error(err)
		}
	}
}

// hear checks how the next message begins. It skips chats unless it wants one.
func (r *raw) hear(want string) {
	r.t.Helper()
	r.c.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		text, err := r.r.ReadString(0)
		if err == nil && text[0] == 'C' && want[0] != 'C' {
			continue
		}
		if err != nil || !strings.HasPrefix(text, want) {
			r.t.Errorf("heard %q, %v; want %q", text, err, want)
		}
		return
	}
}

// random returns a Thinker that plays random moves.
func random(seed uint64) dxp.Thinker {
	p := arena.NewRandom(seed)
	return func(ctx context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) { return p.Play(ctx, g) }
}

func req(name, follower, rest string) string {
	return fmt.Sprintf("R01%-32s%s%s", name, follower, rest)
}

func acc(code string) string { return fmt.Sprintf("A%-32s%s", "Raw", code) }

// A hundred games between the two roles, from the start and from positions, with limits of moves,
// have no fault, and both ends report the same.
func TestHundredGames(t *testing.T) {
	a, b := pair(t)
	white, err := dxp.NewSession(a, dxp.Initiator, config("One"))
	if err != nil {
		t.Fatal(err)
	}
	black, err := dxp.NewSession(b, dxp.Follower, config("Two"))
	if err != nil {
		t.Fatal(err)
	}
	const games = 100
	rng := rand.New(rand.NewPCG(3, 4))
	var reports [2][]dxp.Report
	var group sync.WaitGroup
	group.Go(func() {
		for n := range games {
			r := dxp.GameReq{Follower: rules.Color(n % 2), Time: time.Minute}
			switch n % 5 {
			case 1:
				g := rules.NewGame(international)
				for !g.Over() && g.Ply() < 7+n {
					g.Play(g.Legal()[rng.IntN(len(g.Legal()))])
				}
				if p := g.Position(); !g.Over() {
					start := rules.NewPosition(p.Pieces(rules.White), p.Pieces(rules.Black), p.Kings(rules.White).Or(p.Kings(rules.Black)), p.Turn)
					r.Start = &start
				}
			case 2:
				r.Moves = 1 + n/2
			}
			if err := white.Request(t.Context(), r); err != nil {
				t.Error(err)
				return
			}
			report, err := white.Play(t.Context(), random(uint64(n)))
			if err != nil {
				t.Error(err)
				return
			}
			reports[0] = append(reports[0], report)
		}
		white.Close()
	})
	group.Go(func() {
		for {
			if _, err := black.Await(t.Context(), nil); err != nil {
				if !errors.Is(err, dxp.ErrLost) {
					t.Error(err)
				}
				return
			}
			report, err := black.Play(t.Context(), random(1000))
			if err != nil {
				t.Error(err)
				return
			}
			reports[1] = append(reports[1], report)
		}
	})
	group.Wait()
	if len(reports[0]) != games || len(reports[1]) != games {
		t.Fatalf("%d and %d games", len(reports[0]), len(reports[1]))
	}
	decided := 0
	for n, r := range reports[0] {
		s := reports[1][n]
		o1, why1 := r.Game.Outcome()
		o2, why2 := s.Game.Outcome()
		if r.Fault != "" || s.Fault != "" || o1 != o2 || why1 != why2 || !slices.Equal(r.Game.Moves(), s.Game.Moves()) || r.Game.Start() != s.Game.Start() {
			t.Errorf("game %d: %s %s %q, %s %s %q", n, o1, why1, r.Fault, o2, why2, s.Fault)
		}
		if r.Mine == s.Mine || r.Partner != "Two" || s.Partner != "One" {
			t.Errorf("game %d: %s %s, %s %s", n, r.Mine, r.Partner, s.Mine, s.Partner)
		}
		if limit := r.Request.Moves; limit > 0 && r.Game.Ply() > 2*limit {
			t.Errorf("game %d: %d plies, of %d moves", n, r.Game.Ply(), limit)
		}
		if o1 == rules.WhiteWins || o1 == rules.BlackWins {
			decided++
		}
	}
	if decided < 30 {
		t.Errorf("only %d games were decided", decided)
	}
}

// The clock that the Thinker sees goes down by its own time, and the moves by its own moves.
func TestClock(t *testing.T) {
	s, partner := session(t, dxp.Follower, config("Us"))
	partner.say(req("Raw", "W", ".05003A"))
	if _, err := s.Await(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	partner.hear("A")
	done := make(chan struct{})
	go func() {
		defer close(done)
		partner.hear("M0000322800")
		partner.say("M0000192300")
		partner.hear("M")
		partner.say("E10")
		partner.hear("E00")
	}()
	var clocks []dxp.Clock
	report, err := s.Play(t.Context(), func(_ context.Context, g *rules.Game, c dxp.Clock) (rules.Move, error) {
		clocks = append(clocks, c)
		time.Sleep(20 * time.Millisecond)
		if g.Ply() == 0 {
			return rules.NewMove(32, 28, rules.Set{}), nil
		}
		return g.Legal()[0], nil
	})
	<-done
	if err != nil || len(clocks) != 2 {
		t.Fatalf("%v, %v", clocks, err)
	}
	if clocks[0] != (dxp.Clock{Limited: true, Left: 3 * time.Second, Moves: 3}) {
		t.Errorf("%+v", clocks[0])
	}
	if c := clocks[1]; c.Left > 3*time.Second-20*time.Millisecond || c.Left < 2*time.Second || c.Moves != 2 {
		t.Errorf("%+v", c)
	}
	if o, why := report.Game.Outcome(); o != rules.WhiteWins || why != rules.Resignation || report.Claimed != dxp.ILose {
		t.Errorf("%s, %s, claimed %s", o, why, report.Claimed)
	}
}

// What a Follower refuses, and with which message.
func TestAwait(t *testing.T) {
	s, partner := session(t, dxp.Follower, config("Us"))
	go func() {
		partner.say("rubbish", "Cgood evening", "M0000322800", "E00",
			req("Raw", "W", "005000BW"+strings.Repeat("e", 50)),
			strings.Replace(req("Raw", "W", "005000A"), "R01", "R02", 1),
			req("Raw", "Z", "005000A"), req("Raw", "Z", "010000A"))
	}()
	refused := 0
	r, err := s.Await(t.Context(), func(r dxp.GameReq) dxp.Answer {
		if r.Time < 10*time.Minute {
			refused++
			return dxp.NotThisGame
		}
		return dxp.Accepted
	})
	if err != nil || r.Name != "Raw" || r.Follower != rules.Black || refused != 1 {
		t.Errorf("%+v, %v, %d refused", r, err, refused)
	}
	us := fmt.Sprintf("A%-32s", "Us")
	partner.hear(`Cnot understood: message "rubbish": no kind of message`)
	partner.hear("Cagainst the protocol: the partner sent MOVE in state idle")
	partner.hear("Cagainst the protocol: the partner sent GAMEEND in state idle")
	partner.hear(us + "2")
	partner.hear("Cthe position cannot be played: ")
	partner.hear(us + "1")
	partner.hear("Cversion 2 of the protocol is not known")
	partner.hear(us + "2")
	partner.hear(us + "0")
}

func TestRefused(t *testing.T) {
	for code, want := range map[string]dxp.Answer{"1": dxp.WrongVersion, "2": dxp.NotThisGame, "3": dxp.NoGames} {
		s, partner := session(t, dxp.Initiator, config("Us"))
		go partner.say(acc(code))
		err := s.Request(t.Context(), dxp.GameReq{Time: 3 * time.Minute})
		var refused *dxp.RefusedError
		if !errors.As(err, &refused) || refused.Answer != want || refused.Partner != "Raw" {
			t.Errorf("%s: %v", code, err)
		}
		partner.hear(req("Us", "W", "003000A"))
	}
	s, _ := session(t, dxp.Initiator, config("Us"))
	if err := s.Request(t.Context(), dxp.GameReq{Time: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "whole minutes") {
		t.Errorf("a time that cannot be told: %v", err)
	}
	a, _ := pair(t)
	if _, err := dxp.NewSession(a, dxp.Initiator, dxp.Config{Variant: rules.Frisian}); err == nil {
		t.Error("Frisian draughts by DXP")
	}
}

// start asks for a game in which the partner, White, is to move.
func start(t *testing.T, c dxp.Config) (*dxp.Session, *raw) {
	t.Helper()
	s, partner := session(t, dxp.Initiator, c)
	partner.say(acc("0"))
	if err := s.Request(t.Context(), dxp.GameReq{Time: time.Minute}); err != nil {
		t.Fatal(err)
	}
	partner.hear("R")
	return s, partner
}

// Partners that break the protocol: the game ends at once with a fault that says so, and the
// session continues if the connection is intact.
func TestFaults(t *testing.T) {
	quick := config("Us")
	quick.Patience = 50 * time.Millisecond
	for _, c := range []struct {
		name    string
		partner func(r *raw)
		fault   string
		lost    bool
	}{
		{"illegal move", func(r *raw) {
			r.say("M0000322300")
			r.hear("Cthe game ends here: illegal move")
			r.hear("E00")
			r.say("E00")
		},
			"Raw: illegal move M0000322300 of white", false},
		{"captures that are none", func(r *raw) { r.say("M000032280123"); r.hear("E00"); r.say("E00") },
			"illegal move M000032280123", false},
		{"rubbish for a move", func(r *raw) { r.say("M32-28"); r.hear("E00"); r.say("E00") },
			`MOVE "M32-28": time "32-2"`, false},
		{"closed", func(r *raw) { r.c.Close() }, "closed the connection", true},
		{"no frame", func(r *raw) { r.c.Write([]byte(strings.Repeat("M", 500))) }, "more than 127 bytes", true},
		{"no answer to the end", func(r *raw) { r.say("M0000322300"); r.hear("E00") }, "illegal move", true},
		{"out of turn", func(r *raw) { r.say("M0000322800", "M0000373200"); r.hear("M"); r.say("E00") }, "", false},
		{"end out of turn", func(r *raw) { r.say("M0000322800", "E20"); r.hear("E00") }, "", false},
		{"claims a win", func(r *raw) { r.say("E30"); r.hear("E00") }, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := config("Us")
			if c.lost {
				config = quick
			}
			s, partner := start(t, config)
			done := make(chan struct{})
			go func() { defer close(done); c.partner(partner) }()
			report, err := s.Play(t.Context(), func(ctx context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) {
				select { // long enough for a message out of turn to arrive before the move
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
				return g.Legal()[0], nil
			})
			if errors.Is(err, dxp.ErrLost) != c.lost {
				t.Errorf("error %v", err)
			}
			if !strings.Contains(report.Fault, c.fault) || c.fault == "" && report.Fault != "" {
				t.Errorf("fault %q, want %q", report.Fault, c.fault)
			}
			if o, _ := report.Game.Outcome(); c.fault != "" && o != rules.Ongoing {
				t.Errorf("outcome %s of a game that was broken off", o)
			}
			<-done
			if !c.lost {
				go partner.say(acc("0"))
				if err := s.Request(t.Context(), dxp.GameReq{Time: time.Minute}); err != nil {
					t.Errorf("the next game: %v", err)
				}
			}
		})
	}
}

// A silent partner does not block us for ever, and the end of the context stops the wait.
func TestSilence(t *testing.T) {
	c := config("Us")
	c.Patience, c.Idle = 40*time.Millisecond, 60*time.Millisecond
	s, _ := session(t, dxp.Initiator, c)
	if err := s.Request(t.Context(), dxp.GameReq{}); !errors.Is(err, dxp.ErrLost) || !strings.Contains(err.Error(), "no answer to the request for a game within 40ms") {
		t.Errorf("request: %v", err)
	}
	s, _ = session(t, dxp.Follower, c)
	if _, err := s.Await(t.Context(), nil); !errors.Is(err, dxp.ErrLost) {
		t.Errorf("await: %v", err)
	}
	for _, minutes := range []time.Duration{0, 600 * time.Millisecond} { // without and with a clock
		s, partner := session(t, dxp.Initiator, c)
		partner.say(acc("0"))
		if err := s.Request(t.Context(), dxp.GameReq{Time: minutes}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		report, err := s.Play(t.Context(), random(1))
		if !errors.Is(err, dxp.ErrLost) || !strings.Contains(report.Fault, "no move within") || time.Since(began) < minutes {
			t.Errorf("play: %v, fault %q after %s", err, report.Fault, time.Since(began))
		}
	}
	s, _ = start(t, config("Us"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Play(ctx, random(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("context: %v", err)
	}
}

// A partner may take moves back if that is allowed, also while we think.
func TestTakeBack(t *testing.T) {
	c := config("Us")
	c.TakeBack = true
	s, partner := start(t, c)
	done := make(chan struct{})
	go func() {
		defer close(done)
		partner.say("M0000322800", "B001W")
		partner.hear("K0")
		partner.say("M0000342900")
		partner.hear("M")
		partner.say("B009W")
		partner.hear("K2")
		partner.say("E10")
		partner.hear("E00")
	}()
	thoughts := 0
	report, err := s.Play(t.Context(), func(ctx context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) {
		if thoughts++; g.Moves()[0].From == 32 {
			<-ctx.Done()
		}
		return g.Legal()[0], nil
	})
	<-done
	if g := report.Game; err != nil || g.Ply() != 2 || g.Moves()[0].From != 34 {
		t.Errorf("%v, %v", g.Moves(), err)
	}
	s, partner = start(t, config("Us"))
	go partner.say("B001W", "E10")
	if _, err := s.Play(t.Context(), random(1)); err != nil {
		t.Error(err)
	}
	partner.hear("K1")
}

// shuffle returns a position of kings, and a move of each side after which both can go back,
// without a capture anywhere: the way to a threefold repetition.
func shuffle(t *testing.T) (rules.Position, [4]rules.Move) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	g := international.Board
	for range 100000 {
		squares := rng.Perm(50)
		at := func(i int) rules.Square { return rules.Square(squares[i] + 1) }
		white, black := g.Set(at(0), at(1), at(2)), g.Set(at(3), at(4), at(5))
		p := rules.NewPosition(white, black, white.Or(black), rules.White)
		game := rules.NewGameFrom(international, p)
		var moves [4]rules.Move
		for i := range moves {
			legal := game.Legal()
			moves[i] = legal[rng.IntN(len(legal))]
			if i >= 2 {
				moves[i] = rules.NewMove(moves[i-2].To, moves[i-2].From, rules.Set{})
			}
			if game.Over() || moves[i].IsCapture() || game.Play(moves[i]) != nil {
				break
			}
		}
		if game.Ply() == 4 && game.Occurrences() == 2 && !game.Legal()[0].IsCapture() {
			return p, moves
		}
	}
	t.Fatal("no position found")
	return rules.Position{}, [4]rules.Move{}
}

// A draw by rule is claimed when it is our turn, whatever the partner answers.
func TestDraw(t *testing.T) {
	p, cycle := shuffle(t)
	for _, c := range []struct{ name, answer string }{{"accepted", "E00"}, {"denied", "E10"}} {
		s, partner := session(t, dxp.Initiator, config("Us"))
		partner.say(acc("0"))
		if err := s.Request(t.Context(), dxp.GameReq{Start: &p}); err != nil {
			t.Fatal(err)
		}
		partner.hear("R")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for n := 0; ; n++ {
				m := cycle[2*(n%2)]
				partner.say(fmt.Sprintf("M0000%02d%02d00", m.From, m.To))
				if text, err := partner.r.ReadString(0); err != nil || text[0] == 'E' {
					partner.say(c.answer)
					return
				}
			}
		}()
		report, err := s.Play(t.Context(), func(_ context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) {
			return cycle[g.Ply()%4], nil
		})
		<-done
		if o, why := report.Game.Outcome(); c.name == "accepted" && (o != rules.Draw || why != rules.Threefold) || err != nil {
			t.Errorf("%s: %s %s, %v", c.name, o, why, err)
		}
		if strings.Contains(report.Fault, "Raw claims its own loss, the rules say draw") != (c.name == "denied") {
			t.Errorf("%s: fault %q", c.name, report.Fault)
		}
	}
}

// Messages arrive in pieces of any size.
func TestFrames(t *testing.T) {
	a, b := net.Pipe()
	c := dxp.NewConn(a, nil)
	defer c.Close()
	go func() {
		text := "Cone\x00\x00\r\nCtwo\x00" + "M0012061100\x00" + "E\x00" + "C" + strings.Repeat("x", dxp.MaxMessage-1) + "\x00"
		for i := range len(text) {
			b.Write([]byte{text[i]})
		}
		io.WriteString(b, "Cthree\x00Cfour\x00Cfi")
		b.Close()
	}()
	var got []string
	for {
		r := <-c.Received()
		if r.Broken {
			got = append(got, "broken")
			break
		}
		text := fmt.Sprint(r.Message)
		got = append(got, text[:min(len(text), 20)])
	}
	want := []string{"one", "two", "{12 6 11 []}", "<nil>", strings.Repeat("x", 20), "three", "four", "broken"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"": "127.0.0.1:27531", ":5000": "127.0.0.1:5000", "host": "host:27531", "host:1": "host:1", "0.0.0.0:1": "0.0.0.0:1",
		"[::1]": "[::1]:27531", "[::1]:7": "[::1]:7",
	} {
		if got, err := dxp.Address(text); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	if got, err := dxp.Address("a:b:c"); err == nil {
		t.Errorf("a:b:c is %q", got)
	}
}

// Whatever a partner sends, in frames or not, a session terminates, and the moves of its game are
// legal.
func FuzzSession(f *testing.F) {
	start := "wwwwwwwwwwwwwwwwwwww"
	for i, s := range []string{
		req("x", "W", "0050000") + "A\x00", "A\x00M0000322800\x00", acc("0") + "\x00M0000192300\x00E00\x00", req("x", "Z", "005000A") + "\x00M0000322800\x00B001W\x00E10\x00",
		req("x", "W", "0.5040BW"+strings.Repeat("z", 20)+"eeeeeeeeee"+start) + "\x00Chello\x00\x00\r\nM\x00K0\x00", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("C", 200), acc("3") + "\x00E01\x00",
	} {
		f.Add(uint8(i), []byte(s))
	}
	f.Fuzz(func(t *testing.T, mode uint8, said []byte) {
		ours, theirs := net.Pipe()
		role := dxp.Role(mode % 2)
		c := config("fuzz")
		c.TakeBack = mode&2 != 0
		s, err := dxp.NewSession(ours, role, c)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		go io.Copy(io.Discard, theirs)
		go func() {
			theirs.Write(said)
			theirs.Close()
		}()
		for {
			if role == dxp.Initiator {
				err = s.Request(t.Context(), dxp.GameReq{Follower: rules.Black, Time: time.Minute})
			} else {
				_, err = s.Await(t.Context(), nil)
			}
			if err != nil {
				return
			}
			report, err := s.Play(t.Context(), random(uint64(mode)))
			if report.Game != nil {
				again := rules.NewGameFrom(international, report.Game.Start())
				for _, m := range report.Game.Moves() {
					if o, _ := again.Outcome(); o == rules.Draw {
						again.End(rules.Ongoing, rules.NoReason)
					}
					if err := again.Play(m); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err != nil {
				return
			}
		}
	})
}
