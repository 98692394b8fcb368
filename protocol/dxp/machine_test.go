package dxp

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"damier/rules"
)

func newMachine(t testing.TB, role Role) *Machine {
	t.Helper()
	m, err := NewMachine(role, rules.International)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOtherVariantsAreRefused(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = Supports(v)
		if (err == nil) != (name == "international") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "international draughts only, not "+name) {
			t.Errorf("%s: %v says no reason", name, err)
		}
	}
}

// TestMachineOrder walks through all states, and tries in each every message in both directions.
func TestMachineOrder(t *testing.T) {
	quiet := Move{From: 32, To: 28}
	all := []Message{
		GameReq{}, GameAcc{}, quiet, GameEnd{}, Chat("x"), BackReq{1, rules.White}, BackAcc{},
	}
	// A machine in each state, and what may be sent and received in it, by kind.
	for _, c := range []struct {
		name          string
		state         State
		make          func() *Machine
		sent, receive string
	}{
		{"idle initiator", Idle, func() *Machine { return newMachine(t, Initiator) }, "GAMEREQ CHAT", "CHAT"},
		{"idle follower", Idle, func() *Machine { return newMachine(t, Follower) }, "CHAT", "GAMEREQ CHAT"},
		{"requested", Requested, func() *Machine {
			m := newMachine(t, Initiator)
			m.Send(GameReq{Follower: rules.Black})
			return m
		}, "CHAT", "GAMEACC CHAT"},
		{"asked", Asked, func() *Machine {
			m := newMachine(t, Follower)
			m.Receive(GameReq{Follower: rules.White})
			return m
		}, "GAMEACC CHAT", "CHAT"},
		{"my turn", Playing, func() *Machine {
			m := newMachine(t, Follower)
			m.Receive(GameReq{Follower: rules.White})
			m.Send(GameAcc{})
			return m
		}, "MOVE GAMEEND CHAT BACKREQ", "GAMEEND CHAT BACKREQ"},
		{"the partner's turn", Playing, func() *Machine {
			m := newMachine(t, Initiator)
			m.Send(GameReq{Follower: rules.White})
			m.Receive(GameAcc{})
			return m
		}, "CHAT BACKREQ", "MOVE GAMEEND CHAT BACKREQ"},
		{"asked to go back", Playing, func() *Machine {
			m := newMachine(t, Follower)
			m.Receive(GameReq{Follower: rules.White})
			m.Send(GameAcc{})
			m.Receive(BackReq{1, rules.White})
			return m
		}, "GAMEEND CHAT BACKREQ BACKACC", "GAMEEND CHAT"},
		{"going back", Playing, func() *Machine {
			m := newMachine(t, Initiator)
			m.Send(GameReq{Follower: rules.Black})
			m.Receive(GameAcc{})
			m.Send(BackReq{1, rules.White})
			return m
		}, "CHAT", "GAMEEND CHAT BACKREQ BACKACC"},
		{"ending", Ending, func() *Machine {
			m := newMachine(t, Initiator)
			m.Send(GameReq{Follower: rules.Black})
			m.Receive(GameAcc{})
			m.Send(GameEnd{})
			return m
		}, "CHAT", "MOVE GAMEEND CHAT BACKREQ"},
		{"ended", Ended, func() *Machine {
			m := newMachine(t, Initiator)
			m.Send(GameReq{Follower: rules.White})
			m.Receive(GameAcc{})
			m.Receive(GameEnd{})
			return m
		}, "GAMEEND CHAT", "CHAT"},
	} {
		if got := c.make().State(); got != c.state {
			t.Errorf("%s: state %s", c.name, got)
			continue
		}
		var sent, received []string
		for _, message := range all {
			m := c.make()
			if err := m.Send(message); err == nil {
				sent = append(sent, kindOf(message))
			} else if !errors.Is(err, ErrProtocol) || m.State() != c.state {
				t.Errorf("%s: sending %s: %v, state %s", c.name, kindOf(message), err, m.State())
			}
			m = c.make()
			if err := m.Receive(message); err == nil {
				received = append(received, kindOf(message))
			} else if !errors.Is(err, ErrProtocol) || m.State() != c.state {
				t.Errorf("%s: receiving %s: %v, state %s", c.name, kindOf(message), err, m.State())
			}
		}
		if got := strings.Join(sent, " "); got != c.sent {
			t.Errorf("%s: may send %s, want %s", c.name, got, c.sent)
		}
		if got := strings.Join(received, " "); got != c.receive {
			t.Errorf("%s: may receive %s, want %s", c.name, got, c.receive)
		}
	}
}

func TestIllegalMoveGivesTheFloor(t *testing.T) {
	m := newMachine(t, Initiator)
	m.Send(GameReq{Follower: rules.White})
	m.Receive(GameAcc{})
	if m.MyTurn() {
		t.Fatal("our turn before the partner's move")
	}
	if err := m.Receive(Move{From: 32, To: 27, Captured: []rules.Square{28}}); !errors.Is(err, rules.ErrIllegalMove) {
		t.Errorf("error %v", err)
	}
	if !m.MyTurn() || m.Game().Ply() != 0 {
		t.Error("it is not ours to speak after an illegal move")
	}
	if err := m.Send(Move{From: 32, To: 28}); err == nil {
		t.Error("we moved for the partner")
	}
	if err := m.Send(GameEnd{}); err != nil || m.State() != Ending {
		t.Errorf("%v, state %s", err, m.State())
	}
}

// line holds the messages on their way from one end to the other.
type line struct {
	from, to *Machine
	queue    []Message
}

func (l *line) send(t *testing.T, m Message) bool {
	if l.from.Send(m) != nil {
		return false
	}
	// Encoded and decoded, as on the wire.
	text := m.append(nil)
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	l.queue = append(l.queue, again)
	return true
}

// Two ends take random allowed actions at any time, so that messages cross. Neither sees the other
// break the protocol, and they agree about the game whenever no message is on its way.
func TestTwoMachines(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		a, b := newMachine(t, Initiator), newMachine(t, Follower)
		lines := [2]*line{{from: a, to: b}, {from: b, to: a}}
		for step := 0; step < 400; step++ {
			l := lines[rng.IntN(2)]
			if rng.IntN(2) == 0 && len(l.queue) > 0 {
				m := l.queue[0]
				l.queue = l.queue[1:]
				if err := l.to.Receive(m); err != nil {
					t.Fatalf("seed %d, step %d: %+v: %v", seed, step, m, err)
				}
				continue
			}
			m := l.from
			var message Message
			switch m.State() {
			case Idle:
				message = GameReq{Follower: rules.Color(rng.IntN(2))}
				if rng.IntN(3) == 0 {
					message = GameReq{Follower: rules.White, Start: position(t, "B:W31,32,K40:B11,12,K7")}
				}
			case Asked:
				message = GameAcc{Answer: Answer(rng.IntN(4) * rng.IntN(2))}
			case Ended:
				message = GameEnd{}
			case Playing:
				legal := m.Game().Legal()
				switch n := rng.IntN(20); {
				case m.backAsked != nil:
					message = BackAcc{BackAnswer(rng.IntN(3))}
				case n == 0:
					message = GameEnd{Claim: Claim(rng.IntN(4))}
				case n == 1:
					message = BackReq{1 + rng.IntN(m.Game().Ply()/2+1), rules.Color(rng.IntN(2))}
				case n == 2:
					message = Chat("hm")
				case len(legal) > 0:
					message = moveMessage(legal[rng.IntN(len(legal))], 0)
				}
			}
			if message != nil && l.send(t, message) {
				kinds[kindOf(message)]++
			}
			if len(lines[0].queue)+len(lines[1].queue) == 0 && a.State() == Playing && b.State() == Playing {
				if !slices.Equal(a.Game().Moves(), b.Game().Moves()) || a.Mine() == b.Mine() {
					t.Fatalf("seed %d, step %d: the ends disagree: %v, %v", seed, step, a.Game().Moves(), b.Game().Moves())
				}
			}
		}
	}
	for _, k := range []string{"GAMEREQ", "GAMEACC", "MOVE", "GAMEEND", "CHAT", "BACKREQ", "BACKACC"} {
		if kinds[k] < 100 {
			t.Errorf("only %d of %s", kinds[k], k)
		}
	}
}

func TestGoingBack(t *testing.T) {
	m := newMachine(t, Follower)
	m.Receive(GameReq{Follower: rules.White, Start: position(t, "B:W31,32,K40:B11,12,K1")})
	m.Send(GameAcc{})
	for n, c := range []struct {
		back BackReq
		want int // plies, -1 for none
	}{
		{BackReq{1, rules.White}, -1}, {BackReq{1, rules.Black}, 0}, {BackReq{2, rules.White}, 1}, {BackReq{2, rules.Black}, 2},
		{BackReq{3, rules.White}, 3}, {BackReq{3, rules.Black}, -1},
	} {
		for m.Game().Ply() < 3 {
			legal := m.Game().Legal()
			if err := m.Game().Play(legal[0]); err != nil {
				t.Fatal(err)
			}
		}
		m.Receive(c.back)
		if ok := m.CanGoBack(); ok != (c.want >= 0) {
			t.Errorf("%d: can go back: %v", n, ok)
		}
		if err := m.Send(BackAcc{BackAccepted}); (err == nil) != (c.want >= 0) {
			t.Errorf("%d: %v", n, err)
		}
		if c.want >= 0 && m.Game().Ply() != c.want {
			t.Errorf("%d: %d plies, want %d", n, m.Game().Ply(), c.want)
		}
		m.Send(BackAcc{BackRefused})
	}
}
