package watch

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"damier/learner/journal"
	"damier/tui"
)

// hour returns the events of the recorded first hour.
func hour(t *testing.T) []journal.Event {
	t.Helper()
	f, err := os.Open("../../docs/experiments/first-hour.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var events []journal.Event
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e journal.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func watched(events []journal.Event, err error, after time.Duration) *Run {
	now := time.Now()
	if n := len(events); n > 0 {
		now = events[n-1].Time.Add(after)
	}
	r := New(Config{
		Title: "first hour", Minutes: 60, Look: tui.Look{ASCII: true}, Now: func() time.Time { return now },
		Read: func() ([]journal.Event, bool, error) { return events, err == nil, err },
	})
	r.Update(r.Init()())
	return r
}

// The time left of a run with a budget of CPU time is estimated from its pace.
func TestLeftOfCPUTime(t *testing.T) {
	r := New(Config{CPUMinutes: 120})
	if got := r.left(journal.Event{Seconds: 1800, CPUHours: 0.5}); !strings.Contains(got, "1:30:00") {
		t.Errorf("half an hour for a quarter of it: %q", got)
	}
	if got := r.left(journal.Event{Seconds: 1800, CPUHours: 2}); got != "at its end" {
		t.Errorf("at its end: %q", got)
	}
}

func TestRun(t *testing.T) {
	events := hour(t)
	for _, c := range []struct {
		name   string
		events []journal.Event
		err    error
		after  time.Duration
		want   []string
	}{
		{"finished", events, nil, time.Hour, []string{"stopped: finished", "generation 120", "1:01:34", "Elo", "522  (407 to 637)", "alphabeta:depth=4", "+3 =2 -19  17 %", "White 37 %, draws 23 %, Black 40 %", "first 0.925, now 0.797", "312", "38745 games"}},
		{"running", events[:60], nil, 3 * time.Second, []string{"running, last heard of 3s ago", "left"}},
		{"killed", events[:60], nil, time.Hour, []string{"silent for 1h0m0s: stopped?"}},
		{"begun", events[:1], nil, 0, []string{"not measured yet"}},
		{"empty", nil, nil, 0, []string{"nothing yet", "No generation is finished yet."}},
		{"gone", nil, errors.New("no \x1bsuch file"), 0, []string{"cannot read the metrics: no such file"}},
	} {
		r := watched(c.events, c.err, c.after)
		r.Update(tea.WindowSizeMsg{Width: 100, Height: 60})
		text := r.View()
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q:\n%s", c.name, w, text)
			}
		}
	}
}

// Every screen is as large as the terminal, in ASCII if that is asked for, at every scroll
// position.
func TestSizes(t *testing.T) {
	r := watched(hour(t), nil, 0)
	for _, wh := range [][2]int{{80, 24}, {40, 8}, {200, 60}, {20, 5}, {1, 1}, {0, 0}} {
		r.Update(tea.WindowSizeMsg{Width: wh[0], Height: wh[1]})
		for _, key := range []tea.KeyType{tea.KeyDown, tea.KeyPgDown, tea.KeyEnd, tea.KeyUp, tea.KeyPgUp, tea.KeyHome} {
			r.Update(tea.KeyMsg{Type: key})
			lines := strings.Split(r.View(), "\n")
			if wh[1] >= 8 && len(lines) != wh[1] {
				t.Fatalf("%v: %d lines", wh, len(lines))
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > wh[0] || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
					t.Fatalf("%v: %q", wh, line)
				}
			}
		}
	}
}

func TestKeys(t *testing.T) {
	r := watched(hour(t), nil, 0)
	r.Update(tea.WindowSizeMsg{Width: 80, Height: 20})
	first := r.View()
	r.Update(tea.KeyMsg{Type: tea.KeyEnd})
	if r.View() == first || !strings.Contains(r.View(), "so far") {
		t.Error("it does not scroll")
	}
	r.Update(tea.KeyMsg{Type: tea.KeyHome})
	if r.View() != first {
		t.Error("it does not scroll back")
	}
	if _, c := r.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q")}); c == nil || c() != (tea.QuitMsg{}) {
		t.Error("q does not quit")
	}
	if _, c := r.Update(tea.KeyMsg{Type: tea.KeyCtrlC}); c == nil || c() != (tea.InterruptMsg{}) {
		t.Error("Ctrl-C does not quit")
	}
	if _, c := r.Update(tickMsg{}); c == nil {
		t.Error("it does not look again")
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{[]float64{0, 1, 2, 3, 4, 5, 6}, 10, "_.-=+*#"},
		{[]float64{5, 5}, 10, "__"},
		{[]float64{0, 2, 10, 12}, 2, "_#"},
		{[]float64{1}, 10, "_"},
	} {
		if got := spark(c.values, c.width, asciiBars); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}
