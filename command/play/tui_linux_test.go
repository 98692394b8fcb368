package play

import (
	"context"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"damier/internal/clitest"
	"damier/notation"
	"damier/rules"
	"damier/tui"
)

// screen starts `play tui` on a terminal of 80x24, with colours.
func screen(t *testing.T, args ...string) *clitest.Terminal {
	t.Helper()
	c := command(t, append([]string{"tui"}, args...)...)
	c.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=", "NO_COLOR=")
	return clitest.Start(t, c, 80, 24)
}

// square returns the middle of a square of international draughts on a screen of 80x24: cells of
// 5x2 below the title.
func square(s rules.Square) (x, y int) {
	b := rules.International.Board
	return 5*b.Column(s) + 2, 2*b.Row(s) + 2
}

// A short game is played to its end on a real terminal, by mouse and by keys. The game is saved
// and the terminal is restored.
func TestTUIGame(t *testing.T) {
	pdn := t.TempDir() + "/games.pdn"
	s := screen(t, "--player", "random", "--fen", "W:W28,32,37,48:B19,1", "--pdn", pdn)
	s.Until("White to move (1).")
	s.Click(square(32))
	s.Click(square(18)) // refused
	s.Until("goes to 27")
	s.Click(square(28))
	s.Click(square(23)) // black must capture, and white captures back
	s.Until("random plays 19x28")
	s.Type("\t\r\t\r") // the only piece that may move, and its only square
	s.Until("1-")
	s.Resize(100, 30)
	s.Until("you play white")
	s.Type("?")
	s.Until("Keys.")
	s.Type("\x1b")
	s.Until("White to move")
	s.Type("r1")
	s.Until("Black wins: resignation.")
	s.Type("q")
	s.Wait(0)
	games, err := notation.ReadFile(rules.International, pdn)
	if err != nil || len(games) != 1 || games[0].Ply() != 4 || games[0].Result != notation.BlackWin {
		t.Errorf("saved: %d games, %v", len(games), err)
	}
}

// The last piece is taken by keys alone, and then by mouse alone.
func TestTUIEnd(t *testing.T) {
	s := screen(t, "--player", "random", "--fen", "W:W28:B23")
	s.Until("must take")
	s.Type("\t\r\t\r")
	s.Until("White wins: no pieces left.")
	s.Type("q")
	s.Wait(0)
	s = screen(t, "--player", "random", "--fen", "W:W28:B23")
	s.Until("must take")
	s.Click(square(28))
	s.Click(square(19))
	s.Until("White wins: no pieces left.")
	s.Type("q")
	s.Wait(0)
}

// Ctrl-C and SIGTERM restore the terminal and save the game, at any moment.
func TestTUIInterrupt(t *testing.T) {
	pdn := t.TempDir() + "/games.pdn"
	s := screen(t, "--time", "1h", "--book", "off", "--pdn", pdn)
	s.Until("White to move (1).")
	s.Type("32-28\r")
	s.Until("thinking")
	s.Type("\x03")
	s.Wait(130)
	if games, err := notation.ReadFile(rules.International, pdn); err != nil || len(games) != 1 || games[0].Ply() != 1 {
		t.Errorf("saved: %d games, %v", len(games), err)
	}
	c := command(t, "tui", "--time", "1h", "--book", "off", "--side", "black")
	c.Env = append(os.Environ(), "TERM=xterm-256color")
	s = clitest.Start(t, c, 80, 24)
	s.Until("thinking")
	c.Process.Signal(syscall.SIGTERM)
	s.Wait(143)
}

// In a terminal that is too small the program says so, and draws the board once it has grown.
func TestTUISmall(t *testing.T) {
	c := command(t, "tui", "--player", "random", "--variant", "canadian")
	c.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=1", "LC_ALL=C")
	s := clitest.Start(t, c, 20, 10)
	s.Until("This terminal is")
	s.Resize(80, 24)
	s.Until("White to move (1).")
	s.Type("q")
	s.Wait(0)
	for i, line := range strings.Split(s.Raw(), "\n") {
		if strings.Contains(line, "[38;5;") || strings.Contains(line, "[48;5;") || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("line %d has colours or more than ASCII: %q", i, line)
		}
	}
}

// The commands that write lines send no queries to the terminal, see package tui/quiet.
func TestPlainCommandsStayPlain(t *testing.T) {
	for _, args := range [][]string{{"perft", "--depth", "2"}, {"--version"}, {"terminal", "--player", "random", "--ascii"}} {
		c := command(t, args...)
		c.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=1")
		s := clitest.Start(t, c, 80, 24)
		s.Type("\x04") // Ctrl-D, the end of the input
		s.Wait(0)
		if strings.Contains(s.Raw(), "\x1b") {
			t.Errorf("%v writes escape sequences: %q", args, s.Raw())
		}
	}
}

// The level goes up and down for each kind of engine, also from a level that the flags set. An
// engine without levels says so.
func TestScreenEngineSteps(t *testing.T) {
	for _, c := range []struct {
		o    options
		ups  int
		down int
		want string
	}{
		{options{visits: 400}, 1, 0, "level 9 (2000 visits)"},
		{options{visits: 400}, 0, 1, "level 7 (128 visits)"},
		{options{}, 0, 1, "level 10 (depth 14)"}, // limited by time
		{options{search: "tree"}, 0, 1, "level 10 (10000 visits)"},
		{options{visits: 20}, 0, 1, "level 4 (16 visits)"},
		{options{level: 3}, 1, 0, "level 4 (depth 2)"},
		{options{level: 3, search: "tree"}, 1, 0, "level 4 (16 visits)"},
		{options{player: "alphabeta:depth=5"}, 1, 0, "level 8 (depth 6)"},
		{options{player: "alphabeta:time=1s"}, 0, 1, "level 10 (depth 14)"},
	} {
		e, _, err := c.o.screenEngine(rules.International)
		if err != nil {
			t.Fatal(err)
		}
		for range c.ups {
			err = e.Step(true)
		}
		for range c.down {
			err = e.Step(false)
		}
		got := regexp.MustCompile(`, Elo \d+`).ReplaceAllString(e.Strength(), "") // the number changes with every measurement
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.o, got, err, c.want)
		}
	}
	o := options{player: "random"}
	e, _, err := o.screenEngine(rules.International)
	if err != nil || e.Step(true) == nil {
		t.Errorf("a random player has levels, %v", err)
	}
	o.level = 1
	if _, _, err := o.screenEngine(rules.International); err == nil {
		t.Error("a random player takes a level")
	}
}

// A weak level sometimes plays a random move, but always advises the best move it knows, and its
// depth does not limit an analysis.
func TestScreenEngineTasks(t *testing.T) {
	o := options{player: "nnue", level: 1}
	e, _, err := o.screenEngine(rules.International)
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGameFrom(rules.International, rules.International.Start())
	moves := [2]map[rules.Move]bool{{}, {}}
	for range 20 {
		for _, task := range []tui.Task{tui.Play, tui.Advise} {
			found, err := e.Think(context.Background(), g, task, func(tui.Thought) {})
			if err != nil {
				t.Fatal(err)
			}
			moves[task][found.Lines[0].PV[0]] = true
		}
	}
	if len(moves[tui.Play]) < 2 || len(moves[tui.Advise]) != 1 {
		t.Errorf("in 20 searches it plays %d moves and advises %d", len(moves[tui.Play]), len(moves[tui.Advise]))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	found, err := e.Think(ctx, g, tui.Analyse, func(s tui.Thought) {
		if s.Depth >= 5 {
			cancel()
		}
	})
	if err != nil || found.Depth < 5 {
		t.Errorf("it analyses to depth %d, %v", found.Depth, err)
	}
}
