package board

import (
	"strings"
	"testing"
	"time"
)

// times returns the times of a move of the line in a state, in milliseconds; nil where unknown.
func times(s map[string]any, ply int) (spent, left any) {
	m := s["moves"].([]any)[ply-1].(map[string]any)
	return m["spent"], m["left"]
}

// The times in the comments of a file are kept apart from the comments, and written again.
func TestTimesOfAFile(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	s := p.act("load", body{"text": `[TimeControl "60+2"]
		1. 32-28 $1 {[%clk 0:00:50] good} (1. 33-28 {[%clk 0:00:59]}) 19-23 {[%emt 0:00:03.5] [%clk 0:01:00]}
		2. 28x19 {[%clk 0:00:52]} 14x23 3. 33-28 {[%clk 0:05:00]} *`})
	for i, want := range [][2]any{{12000.0, 50000.0}, {3500.0, 60000.0}, {0.0, 52000.0}, {nil, nil}, {nil, 300000.0}} {
		if spent, left := times(s, i+1); spent != want[0] || left != want[1] {
			t.Errorf("move %d: %v spent, %v left, want %v", i+1, spent, left, want)
		}
	}
	s = p.act("annotate", body{"node": nodeAt(s, 1), "text": "very good", "glyphs": []int{3}})
	if _, left := times(s, 1); left != 50000.0 || s["moves"].([]any)[0].(map[string]any)["comment"] != "very good" {
		t.Errorf("with another comment: %v", s["moves"].([]any)[0])
	}
	// The same move again does not change its time.
	p.act("seek", body{"ply": 0})
	if s = p.act("text", body{"text": "32-28"}); s["moves"].([]any)[0].(map[string]any)["spent"] != 12000.0 {
		t.Errorf("played again: %v", s["moves"].([]any)[0])
	}
	_, text := p.Get("/api/boards/" + p.id + "/game.pdn")
	want := "1. 32-28 $3 {[%clk 0:00:50] very good} (1. 33-28 {[%clk 0:00:59]}) 1... 19-23 {[%clk 0:01:00] [%emt 0:00:03.5]} 2. 28x19 {[%clk 0:00:52]} 2... 14x23 3. 33-28 {[%clk 0:05:00]} *"
	plain := func(s string) string {
		return strings.NewReplacer("1... ", "", "2... ", "").Replace(strings.Join(strings.Fields(s), " "))
	}
	if !strings.Contains(plain(text), plain(want)) {
		t.Errorf("written as\n%s\nwant\n%s", plain(text), plain(want))
	}
}

// Games at the board record their times, and those with a clock write them.
func TestTimesAtTheBoard(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	play := func(text string) map[string]any {
		t.Helper()
		time.Sleep(20 * time.Millisecond)
		return p.act("text", body{"text": text})
	}
	written := func() string {
		_, text := p.Get("/api/boards/" + p.id + "/game.pdn")
		return text
	}
	near := func(ms any) bool { n, ok := ms.(float64); return ok && n >= 20 && n < 30_000 }
	play("32-28")
	s := play("19-23")
	if spent, left := times(s, 1); spent != nil || left != nil {
		t.Errorf("the first move without a clock: %v spent, %v left", spent, left)
	}
	if spent, left := times(s, 2); !near(spent) || left != nil {
		t.Errorf("the second: %v spent, %v left", spent, left)
	}
	// From an earlier position: the time since it was shown.
	p.act("seek", body{"ply": 1})
	if spent, _ := times(play("18-23"), 2); !near(spent) {
		t.Errorf("another second: %v spent", spent)
	}
	if text := written(); strings.Contains(text, "[%") || strings.Contains(text, "TimeControl") {
		t.Errorf("without a clock the game is written as\n%s", text)
	}

	p.act("new", body{"clock": body{"main": 600, "increment": 30}})
	play("32-28")
	s = play("19-23")
	spent, left := times(s, 1)
	if !near(spent) || left.(float64) != 630_000-spent.(float64) && left.(float64) != 630_000-spent.(float64)-1 {
		t.Errorf("with a clock: %v spent, %v left", spent, left)
	}
	if text := written(); !strings.Contains(text, `[TimeControl "600+30"]`) || strings.Count(text, "[%clk 0:10:") != 2 || strings.Contains(text, "%emt") {
		t.Errorf("with a clock the game is written as\n%s", text)
	}

	p.act("new", body{"clock": body{"move": 60}})
	play("32-28")
	s = play("19-23")
	if spent, left := times(s, 2); !near(spent) || left != nil {
		t.Errorf("with a time for each move: %v spent, %v left", spent, left)
	}
	if text := written(); !strings.Contains(text, `[TimeControl "1/60"]`) || strings.Count(text, "[%emt 0:00:00") != 2 {
		t.Errorf("with a time for each move the game is written as\n%s", text)
	}
}
