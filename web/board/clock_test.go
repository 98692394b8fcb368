package board

import (
	"math"
	"os"
	"testing"
	"time"

	"damier/engine"
	"damier/rules"
)

// left returns the time left of a side in a state, in milliseconds.
func left(s body, side string) float64 { return s["clock"].(body)[side].(float64) }

func TestFlagFalls(t *testing.T) {
	p := serve(t, Config{})
	s := p.open(body{"seats": people, "clock": body{"main": 0.15}})
	if s["clock"].(body)["running"] != "white" {
		t.Errorf("White's clock does not run: %v", s["clock"])
	}
	s = p.until("flagged", func(s body) bool { return s["outcome"] != "*" })
	if s["outcome"] != "black" || s["reason"] != string(rules.TimeForfeit) || left(s, "white") != 0 || s["clock"].(body)["running"] != nil {
		t.Errorf("%v won by %v, the clock is %v", s["outcome"], s["reason"], s["clock"])
	}
	p.fails("text", body{"text": "32-28"}, 409, "over")

	// A side loses on time also while an earlier position is shown; the game ends at its last
	// position.
	p.act("new", body{"clock": body{"main": 2}})
	p.act("text", body{"text": "32-28"})
	p.act("text", body{"text": "19-23"})
	p.act("seek", body{"ply": 1})
	s = p.until("flagged", func(s body) bool { return s["outcome"] != "*" })
	if s["outcome"] != "black" || s["ply"] != 2.0 || moves(s) != "32-28 19-23" {
		t.Errorf("%v at ply %v of %s", s["outcome"], s["ply"], moves(s))
	}
}

func TestClockIsPressed(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people, "clock": body{"main": 600, "increment": 30}})
	s := p.act("text", body{"text": "32-28"})
	if w := left(s, "white"); w <= 600_000 || w > 630_000 || s["clock"].(body)["running"] != "black" {
		t.Errorf("after White's move: %v", s["clock"])
	}
	time.Sleep(30 * time.Millisecond)
	s = p.act("text", body{"text": "19-23"})
	after := left(s, "black")
	if after >= 630_000 || after < 570_000 {
		t.Errorf("after Black's move: %v", s["clock"])
	}
	white := left(s, "white")

	// Taking back a move restores its time.
	s = p.act("undo", nil)
	if left(s, "white") < white || left(s, "black") != 600_000 && left(s, "black") < 599_000 || s["clock"].(body)["running"] != "black" {
		t.Errorf("Black's move taken back: %v, White had %v", s["clock"], white)
	}
	s = p.act("resign", nil)
	if s["clock"].(body)["running"] != nil {
		t.Errorf("resigned, the clock runs: %v", s["clock"])
	}
	stood := left(s, "black")
	time.Sleep(20 * time.Millisecond)
	if s = p.act("explain", body{"from": 1, "to": 1}); s["kind"] == nil {
		t.Error("nothing explained")
	}
	if _, s := p.Post("/api/boards/"+p.id+"/seek", body{"ply": 0}); left(s, "black") != stood {
		t.Errorf("after the game the clock goes on: %v, %v", s["clock"], stood)
	}

	// A time for each move is reset at each move.
	p.act("new", body{"clock": body{"move": 100}})
	time.Sleep(20 * time.Millisecond)
	s = p.act("text", body{"text": "32-28"})
	if left(s, "white") != 100_000 || s["clock"].(body)["running"] != "black" {
		t.Errorf("a time for each move: %v", s["clock"])
	}
	if s = p.act("new", body{}); s["clock"] != nil {
		t.Errorf("a new game without a clock has %v", s["clock"])
	}
	for _, bad := range []body{{}, {"main": -1}, {"main": 60, "move": 1}, {"increment": 3}, {"main": 1e9}, {"move": 1e9}} {
		p.fails("new", body{"clock": bad}, 422, "clock")
	}
}

// Two engines play with a clock: each uses some of its time, and neither exceeds it. Waiting in
// the queue costs no time.
func TestEnginesByTheClock(t *testing.T) {
	for name, config := range map[string]Config{"tree": evensConfig(), "alphabeta": {}} {
		p := serve(t, config)
		engine := body{"player": name, "level": engine.Levels()}
		p.open(body{"variant": "russian", "seats": body{"white": engine, "black": engine}, "clock": body{"main": 8}})
		s := p.until("past six moves", func(s body) bool { return s["ply"].(float64) >= 6 || s["outcome"] != "*" })
		if s["outcome"] != "*" {
			t.Fatalf("%s: over after %v moves: %v", name, s["ply"], s["reason"])
		}
		if w, b := left(s, "white"), left(s, "black"); w >= 8000 || b >= 8000 || w <= 0 || b <= 0 {
			t.Errorf("%s: after six moves White has %v and Black %v of 8000 ms", name, w, b)
		}
		s = p.act("stop", nil)
		if s["clock"].(body)["running"] != nil {
			t.Errorf("%s: stopped, the clock runs: %v", name, s["clock"])
		}
	}
}

func TestTimeForMove(t *testing.T) {
	for _, c := range []struct {
		control   control
		left      time.Duration
		low, high time.Duration
	}{
		{control{Move: 1}, time.Second, 950 * time.Millisecond, 985 * time.Millisecond},
		{control{Move: 10}, 10 * time.Second, 9500 * time.Millisecond, 9900 * time.Millisecond},
		{control{Main: 300}, 300 * time.Second, 10 * time.Second, 15 * time.Second},
		{control{Main: 300, Increment: 5}, time.Second, 500 * time.Millisecond, 950 * time.Millisecond},
		{control{Main: 300}, 20 * time.Millisecond, time.Millisecond, 5 * time.Millisecond},
		{control{Main: 300}, 0, time.Millisecond, time.Millisecond},
	} {
		k := newClock(c.control, rules.White)
		k.left[rules.White] = c.left
		if got := k.timeForMove(); got < c.low || got > c.high {
			t.Errorf("%+v with %v left: %v, want %v to %v", c.control, c.left, got, c.low, c.high)
		}
	}
}

// TestMoveTime prints how much of a time for each move an engine uses. It needs an idle machine,
// so it runs only with DAMIER_LONG=1.
func TestMoveTime(t *testing.T) {
	if os.Getenv("DAMIER_LONG") != "1" {
		t.Skip("a measurement on an idle machine; set DAMIER_LONG=1")
	}
	for name, config := range map[string]Config{"tree": evensConfig(), "alphabeta": {}} {
		for _, set := range []float64{0.2, 1, 3} {
			p := serve(t, config)
			engine := body{"player": name, "level": engine.Levels()}
			p.open(body{"seats": body{"white": engine, "black": engine}, "clock": body{"move": set}})
			began, plies := time.Now(), math.Min(10, math.Floor(12/set))
			s := p.until("through", func(s body) bool { return s["ply"].(float64) >= plies || s["outcome"] != "*" })
			t.Logf("%s, %v s: %.3f s a move; %v %v", name, set, time.Since(began).Seconds()/plies, s["outcome"], s["reason"])
		}
	}
}
