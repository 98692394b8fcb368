package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"damier/rules"
)

func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name, variant, fen string
		width, height      int
		look               Look
		people             People
		do                 func(s *screen)
	}{
		{"international", "international", "", 80, 24, grey, white, func(s *screen) { s.drag(32, 28); s.keys("enter") }},
		{"capture", "international", "W:W28,45,K39:B23,13,14,K5", 80, 24, grey, white, func(s *screen) { s.clickOn(28); s.clickOn(19) }},
		{"ambiguous", "international", "W:WK47:B5,14,19,29,31,42", 100, 36, grey, both, ambiguousClicks},
		{"ambiguous-small", "international", "W:WK47:B5,14,19,29,31,42", 50, 15, letters, both, ambiguousClicks},
		{"turkish", "turkish", "", 100, 40, grey, black, func(s *screen) {}},
		{"canadian", "canadian", "", 80, 24, grey, white, func(s *screen) { s.keys("enter", "tab", "enter") }},
		{"russian", "russian", "", 80, 24, letters, black, func(s *screen) { s.settle() }},
		{"frisian-wide", "frisian", "", 120, 45, grey, white, func(s *screen) { s.keys("v") }},
		{"narrow", "international", "", 34, 16, letters, white, func(s *screen) { s.drag(33, 29) }},
		{"too-small", "international", "", 25, 10, grey, white, func(s *screen) {}},
		{"help", "english", "", 80, 24, letters, white, func(s *screen) { s.keys("?") }},
		{"form", "english", "", 80, 24, letters, white, func(s *screen) { s.keys("g", "down") }},
		{"fen", "english", "", 80, 24, letters, white, func(s *screen) { s.keys("e", "left", "left") }},
		{"won", "italian", "W:W22:B18", 80, 24, grey, white, func(s *screen) {
			m := s.g.game.Legal()[0]
			s.drag(m.From, m.To)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := variant(t, c.variant)
			g := rules.NewGame(v)
			if c.fen != "" {
				g = position(t, v, c.fen)
			}
			s := newScreen(t, Config{
				Game: g, People: c.people, Look: c.look, Flipped: c.people == black, Engine: &book{score: 0.575},
				Open: func(*rules.Variant) (Engine, string, error) { return &book{}, "", nil },
			}, c.width, c.height)
			s.settle()
			c.do(s)
			s.golden(c.name)
		})
	}
}

func ambiguousClicks(s *screen) {
	seen := map[[2]rules.Square]bool{}
	for _, m := range s.g.game.Legal() {
		if k := [2]rules.Square{m.From, m.To}; seen[k] {
			s.clickOn(m.From)
			s.clickOn(m.To)
			return
		} else {
			seen[k] = true
		}
	}
}

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		width, height, rows int
		cell                size // {} if none fits
		panel               string
	}{
		{80, 24, 10, size{5, 2}, "beside"},
		{80, 24, 8, size{5, 2}, "beside"},
		{80, 24, 12, size{5, 1}, "below"},
		{120, 40, 10, size{7, 3}, "beside"},
		{200, 60, 12, size{7, 3}, "beside"},
		{100, 30, 12, size{5, 2}, "beside"},
		{50, 24, 10, size{5, 1}, "below"},
		{50, 14, 10, size{5, 1}, ""},
		{36, 16, 12, size{3, 1}, ""},
		{30, 14, 10, size{3, 1}, ""},
		{30, 20, 10, size{3, 1}, "below"},
		{29, 40, 8, size{}, ""},
		{80, 13, 10, size{}, ""},
		{0, 0, 8, size{}, ""},
	} {
		l := newLayout(c.width, c.height, c.rows, c.rows)
		panel := ""
		if l.panel.width > 0 {
			panel = "below"
			if l.panel.x > 0 {
				panel = "beside"
			}
		}
		if l.none != (c.cell == size{}) || l.cell != c.cell || panel != c.panel {
			t.Errorf("%dx%d, %d rows: %+v", c.width, c.height, c.rows, l)
		}
	}
}

func TestSquareAt(t *testing.T) {
	for _, name := range rules.Names() {
		for _, flipped := range []bool{false, true} {
			for _, wh := range [][2]int{{40, 20}, {80, 24}, {140, 50}} {
				s := newScreen(t, Config{Game: rules.NewGame(variant(t, name)), People: both, Flipped: flipped}, wh[0], wh[1])
				b := s.g.v.Board
				for q := rules.Square(1); int(q) <= b.Squares(); q++ {
					x, y := s.placeOf(q)
					if got := s.g.layout.squareAt(b, flipped, x, y); got != q {
						t.Fatalf("%s: square %d is at %d,%d, where %d is found", name, q, x, y, got)
					}
				}
				for _, p := range [][2]int{{-1, 1}, {0, 0}, {1000, 5}, {0, wh[1] - 1}} {
					if got := s.g.layout.squareAt(b, flipped, p[0], p[1]); got != rules.NoSquare {
						t.Errorf("%v is square %d", p, got)
					}
				}
			}
		}
	}
}

func TestLook(t *testing.T) {
	for _, c := range []struct {
		env           []string
		ascii         bool
		color, ascii_ bool
	}{
		{[]string{"LANG", "en_US.UTF-8", "TERM", "xterm-256color"}, false, true, false},
		{[]string{"LANG", "en_US.UTF-8", "TERM", "xterm-256color"}, true, true, true},
		{[]string{"LANG", "en_US.UTF-8", "TERM", "xterm-256color", "NO_COLOR", "1"}, false, false, false},
		{[]string{"LANG", "en_US.UTF-8", "LC_ALL", "C", "TERM", "xterm"}, false, true, true},
		{[]string{"LANG", "nl_NL.utf8", "TERM", "dumb"}, false, false, false},
		{[]string{"TERM", "vt100"}, false, false, true},
		{nil, false, false, true},
	} {
		if l := NewLook(c.ascii, env(c.env...)); l.Colored() != c.color || l.ASCII != c.ascii_ {
			t.Errorf("%v: colours %v, ASCII %v", c.env, l.Colored(), l.ASCII)
		}
	}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Look: colored}, 80, 24)
	if !strings.Contains(s.g.View(), "\x1b[") {
		t.Error("no colours")
	}
	if s = newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Look: grey}, 80, 24); strings.Contains(s.g.View(), "\x1b") {
		t.Error("colours in spite of NO_COLOR")
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ in, unicode, ascii string }{
		{"plain", "plain", "plain"},
		{"two\nlines\tand a tab", "two lines and a tab", "two lines and a tab"},
		{"\x1b[31mred\x07\u009b", "[31mred", "[31mred"},
		{"dés… \u202eabc", "dés… abc", "d?s. abc"},
	} {
		if got := grey.Text(c.in); got != c.unicode {
			t.Errorf("%q: %q", c.in, got)
		}
		if got := letters.Text(c.in); got != c.ascii {
			t.Errorf("%q in ASCII: %q", c.in, got)
		}
	}
}

// A window that changes its size is drawn again, whatever it shows.
func TestResize(t *testing.T) {
	s := newScreen(t, Config{Game: rules.NewGame(rules.Canadian), People: both, Look: colored}, 80, 24)
	for _, key := range []string{"esc", "?", "g", "e", "r", ":"} {
		s.keys("esc", key)
		for _, wh := range [][2]int{{200, 60}, {36, 16}, {60, 20}, {10, 3}, {1, 1}, {0, 0}, {80, 24}} {
			s.send(tea.WindowSizeMsg{Width: wh[0], Height: wh[1]})
		}
	}
}
