package notation_test

import (
	"testing"
	"time"

	"damier/notation"
	"damier/rules"
)

func TestCutTimes(t *testing.T) {
	left := func(d time.Duration) notation.Times { return notation.Times{Left: d, HasLeft: true} }
	spent := func(d time.Duration) notation.Times { return notation.Times{Spent: d, HasSpent: true} }
	for _, c := range []struct {
		comment string
		want    notation.Times
		rest    string
	}{
		{"[%clk 0:09:58]", left(9*time.Minute + 58*time.Second), ""},
		{"slow [%clk 1:00:00.4] but good", left(time.Hour + 400*time.Millisecond), "slow but good"},
		{"[%emt 0:00:02.5]", spent(2500 * time.Millisecond), ""},
		{"[%emt 12]", spent(12 * time.Second), ""},
		{"[%clk 4:30]", left(4*time.Minute + 30*time.Second), ""},
		{"[%clock w0:04:34 B0:04:41]", left(4*time.Minute + 34*time.Second), ""},
		{
			"[%clk 0:00:09] [%eval -0.35] [%emt 0:00:01]",
			notation.Times{Left: 9 * time.Second, HasLeft: true, Spent: time.Second, HasSpent: true},
			"[%eval -0.35]",
		},
		{"[%clk 0:00:0x] stays", notation.Times{}, "[%clk 0:00:0x] stays"},
		{"[%clk 99999999:00:00]", notation.Times{}, "[%clk 99999999:00:00]"},
		{"[%clk -0:00:05]", notation.Times{}, "[%clk -0:00:05]"},
		{"[%clk 1:2:3:4]", notation.Times{}, "[%clk 1:2:3:4]"},
		{"[%clock B0:04:41]", notation.Times{}, "[%clock B0:04:41]"},
		{"two  blanks stay", notation.Times{}, "two  blanks stay"},
	} {
		got, rest := notation.CutTimes(c.comment, rules.White)
		if got != c.want || rest != c.rest {
			t.Errorf("%q: %+v and %q, want %+v and %q", c.comment, got, rest, c.want, c.rest)
		}
		if again, rest := notation.CutTimes(got.Comment(), rules.White); again != got || rest != "" {
			t.Errorf("%q is written %q, which is read as %+v and %q", c.comment, got.Comment(), again, rest)
		}
	}
	black, _ := notation.CutTimes("[%clock w0:04:34 B0:04:41]", rules.Black)
	if black.Left != 4*time.Minute+41*time.Second {
		t.Errorf("Black has %v left", black.Left)
	}
}

func TestControl(t *testing.T) {
	for _, c := range []struct {
		tag       string
		main, add time.Duration
		ok        bool
	}{
		{"300", 5 * time.Minute, 0, true},
		{"300+5", 5 * time.Minute, 5 * time.Second, true},
		{"40/7200:3600", 2 * time.Hour, 0, true},
		{"1/10", 10 * time.Second, 0, true},
		{"0.5+0.1", 500 * time.Millisecond, 100 * time.Millisecond, true},
		{"-", 0, 0, false},
		{"?", 0, 0, false},
		{"*60", 0, 0, false},
		{"60+", 0, 0, false},
		{"", 0, 0, false},
	} {
		main, add, ok := notation.Control(c.tag)
		if main != c.main || add != c.add || ok != c.ok {
			t.Errorf("%q: %v, %v, %v", c.tag, main, add, ok)
		}
	}
}
