package tui

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"damier/rules"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// book is an engine that plays the moves that the test gives it, and otherwise the first legal
// move.
type book struct {
	moves   []rules.Move
	score   float64
	offer   bool // a draw, with every move
	fail    error
	hold    bool // think until stopped
	level   int
	verdict string // of endgame tables, on every best move
	thought int    // searches begun
	tasks   []Task
	begun   int // games begun
}

func (b *book) Name() string     { return "book" }
func (b *book) NewGame()         { b.begun++ }
func (b *book) Strength() string { return "level " + string(rune('0'+b.level)) }

func (b *book) Step(up bool) error {
	switch {
	case up:
		b.level++
	case b.level == 0:
		return errors.New("it has no level below this")
	default:
		b.level--
	}
	return nil
}

func (b *book) Think(ctx context.Context, g *rules.Game, task Task, report func(Thought)) (Thought, error) {
	b.thought++
	b.tasks = append(b.tasks, task)
	analyse := task == Analyse
	if b.fail != nil {
		return Thought{}, b.fail
	}
	m := g.Legal()[0]
	if len(b.moves) > 0 && !analyse {
		m, b.moves = b.moves[0], b.moves[1:]
	}
	t := Thought{
		Lines: []Line{{PV: []rules.Move{m}, Visits: 7, Value: b.score}},
		Score: b.score, Depth: 1, Nodes: 12345, Elapsed: 1500 * time.Millisecond,
		Verdict: b.verdict, Offer: b.offer,
	}
	for _, other := range g.Legal() {
		if other != m && len(t.Lines) < 3 {
			t.Lines = append(t.Lines, Line{PV: []rules.Move{other}, Visits: 3, Value: 0.25})
		}
	}
	report(t)
	if b.hold || analyse {
		<-ctx.Done()
	}
	return t, nil
}

// screen drives a game as Bubble Tea does: commands run concurrently, and their messages arrive
// one at a time.
type screen struct {
	t    *testing.T
	g    *Game
	msgs chan tea.Msg
	left int  // running commands
	over bool // it has quit
	how  tea.Msg
}

func newScreen(t *testing.T, c Config, width, height int) *screen {
	t.Helper()
	if c.Engine == nil {
		c.Engine = &book{}
	}
	if c.Title == "" {
		c.Title = c.Game.Variant().Name
	}
	s := &screen{t: t, g: New(c), msgs: make(chan tea.Msg)}
	s.run(s.g.Init())
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	t.Cleanup(func() {
		s.g.stop()
		s.settle()
	})
	return s
}

func (s *screen) run(c tea.Cmd) {
	if c == nil {
		return
	}
	s.left++
	go func() { s.msgs <- c() }()
}

// send delivers a message and runs the commands that follow from it.
func (s *screen) send(msg tea.Msg) {
	_, c := s.g.Update(msg)
	s.run(c)
	s.check()
}

// take waits for one message of a command. It reports whether a command was running.
func (s *screen) take() bool {
	if s.left == 0 {
		return false
	}
	var msg tea.Msg
	select {
	case msg = <-s.msgs:
	case <-time.After(10 * time.Second):
		s.t.Fatalf("one of %d commands never ends; %+v", s.left, s.g.search)
	}
	s.left--
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case tea.QuitMsg, tea.InterruptMsg:
		s.over, s.how = true, msg
	default:
		s.send(msg)
	}
	return true
}

// settle waits until no command is running.
func (s *screen) settle() {
	for s.take() {
	}
}

// until waits until a condition holds.
func (s *screen) until(what string, holds func() bool) {
	s.t.Helper()
	for !holds() {
		if !s.take() {
			s.t.Fatalf("%s never holds:\n%s", what, s.text())
		}
	}
}

var keyTypes = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace, "ctrl+c": tea.KeyCtrlC, "ctrl+u": tea.KeyCtrlU,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace, "delete": tea.KeyDelete,
}

// keys presses keys, named or single letters, and waits after each for its effect.
func (s *screen) keys(names ...string) {
	for _, name := range names {
		s.press(name)
		s.settle()
	}
}

func (s *screen) press(name string) {
	k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
	if t, ok := keyTypes[name]; ok {
		k = tea.KeyMsg{Type: t}
		if t == tea.KeySpace {
			k.Runes = []rune{' '}
		}
	}
	s.send(k)
}

// typed types a text, letter by letter.
func (s *screen) typed(text string) {
	for _, r := range text {
		if r == ' ' {
			s.press("space")
		} else {
			s.press(string(r))
		}
	}
}

// placeOf returns the middle of a square on the screen.
func (s *screen) placeOf(q rules.Square) (x, y int) {
	b, l := s.g.v.Board, s.g.layout
	row, column := b.Row(q), b.Column(q)
	if s.g.flipped {
		row, column = b.Rows-1-row, b.Columns-1-column
	}
	return l.board.x + column*l.cell.width + l.cell.width/2, l.board.y + row*l.cell.height + l.cell.height/2
}

func (s *screen) button(a tea.MouseAction, x, y int) {
	s.send(tea.MouseMsg{X: x, Y: y, Action: a, Button: tea.MouseButtonLeft})
	s.settle()
}

// click presses and releases the button at a place; clickOn does so on a square.
func (s *screen) click(x, y int) {
	s.button(tea.MouseActionPress, x, y)
	s.button(tea.MouseActionRelease, x, y)
}

func (s *screen) clickOn(q rules.Square) { s.click(s.placeOf(q)) }

func (s *screen) drag(from, to rules.Square) {
	x, y := s.placeOf(from)
	s.button(tea.MouseActionPress, x, y)
	x, y = s.placeOf(to)
	s.button(tea.MouseActionRelease, x, y)
}

// text returns the screen without colours.
func (s *screen) text() string { return ansi.Strip(s.g.View()) }

// check tests what holds for every screen: it is exactly as large as the terminal, and ASCII if
// that is asked for.
func (s *screen) check() {
	s.t.Helper()
	if s.g.width == 0 || s.g.height == 0 {
		return
	}
	text := s.text()
	lines := strings.Split(text, "\n")
	if len(lines) > s.g.height || !s.g.layout.none && len(lines) != s.g.height {
		s.t.Fatalf("%d lines on a screen of %d:\n%s", len(lines), s.g.height, text)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > s.g.width || !s.g.layout.none && w != s.g.width {
			s.t.Fatalf("line %d is %d wide on a screen of %d:\n%s", i, w, s.g.width, text)
		}
	}
	if s.g.look.ASCII {
		for _, r := range text {
			if r > '~' {
				s.t.Fatalf("%q on a screen of ASCII:\n%s", r, text)
			}
		}
	}
}

// has fails the test unless the screen shows a text.
func (s *screen) has(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.text(), w) {
			s.t.Errorf("no %q on the screen:\n%s", w, s.text())
		}
	}
}

// golden compares the screen with a golden file.
func (s *screen) golden(name string) {
	s.t.Helper()
	var b strings.Builder
	for line := range strings.SplitSeq(s.text(), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		s.t.Errorf("%s (-update rewrites it):\n%s", file, d)
	}
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// The styles of the tests: Unicode with and without colours, ASCII without colours.
var (
	colored = NewLook(false, env("LANG", "C.UTF-8", "TERM", "xterm-256color"))
	grey    = NewLook(false, env("LANG", "C.UTF-8", "TERM", "xterm-256color", "NO_COLOR", "1"))
	letters = NewLook(false, env("LANG", "C", "TERM", "vt100"))
)

func position(t *testing.T, v *rules.Variant, fen string) *rules.Game {
	t.Helper()
	p, err := rules.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return rules.NewGameFrom(v, p)
}

func variant(t *testing.T, name string) *rules.Variant {
	t.Helper()
	v, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func generator(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seed, 0x747569))
}
