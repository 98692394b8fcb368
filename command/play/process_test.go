package play

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"damier/internal/clitest"
	"damier/notation"
	"damier/protocol/hub"
	"damier/rules"
)

// command returns the program as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return clitest.Command(t, "play", args...)
}

func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{{"moves"}, {"perft", "--depth", "3"}, {"hub"}, {"--visits", "1"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		c := command(t, args...)
		var talk bytes.Buffer
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader("ping\nquit\n"), w, &talk
		err = c.Run()
		w.Close()
		if err != nil || strings.Contains(talk.String(), "broken pipe") {
			t.Errorf("%v: %v, %q", args, err, talk.String())
		}
	}
}

// Ctrl-C ends every command cleanly in the middle of its work, and the game is saved.
func TestInterrupt(t *testing.T) {
	pdn := t.TempDir() + "/games.pdn"
	for _, c := range []struct {
		args  []string
		input string
		until string // output that shows that the command is in the middle of its work
	}{
		{[]string{"--visits", "5", "--pdn", pdn}, "32-28\n", "damier plays"},
		{[]string{"--time", "1h", "--book", "off"}, "32-28\n", "Black to move"},
		{[]string{"--side", "none", "--visits", "50"}, "", "damier plays"},
		{[]string{"hub"}, "hub\ninit\npos start\ngo analyze\n", "info "},
		{[]string{"perft", "--depth", "20"}, "", `"depth":5`},
		{[]string{"web", "--addr", "127.0.0.1:0"}, "", "http://127.0.0.1:"},
	} {
		p := command(t, c.args...)
		in, err := p.StdinPipe() // stays open
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(in, c.input)
		lines := bufio.NewScanner(out)
		found := false
		for !found && lines.Scan() {
			found = strings.HasPrefix(lines.Text(), c.until) || strings.Contains(lines.Text(), c.until)
		}
		p.Process.Signal(os.Interrupt)
		for lines.Scan() {
		}
		err = p.Wait()
		in.Close()
		var exit *exec.ExitError
		if !found || !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v: found %v, %v", c.args, found, err)
		}
	}
	if games, err := notation.ReadFile(rules.International, pdn); err != nil || len(games) != 1 || games[0].Ply() != 2 {
		t.Errorf("saved: %d games, %v", len(games), err)
	}
}

// hubSide is one of the two engines of TestHubGame, with its end of the protocol.
type hubSide struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func newHubSide(t *testing.T, o *options) *hubSide {
	e, err := newHubEngine(*o, rules.International)
	if err != nil {
		t.Fatal(err)
	}
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	s := &hubSide{t, toEngine, bufio.NewScanner(fromEngine), make(chan error, 1)}
	go func() {
		err := hub.Serve(context.Background(), in, out, e)
		out.Close()
		s.end <- err
	}()
	fmt.Fprintln(toEngine, "hub")
	s.hear("wait")
	fmt.Fprintln(toEngine, "init")
	s.hear("ready")
	fmt.Fprintln(toEngine, "new-game")
	return s
}

// hear returns the next message that has one of these commands. An error message fails the test.
func (s *hubSide) hear(commands ...string) hub.Line {
	for s.out.Scan() {
		line, err := hub.ParseLine(s.out.Text())
		if err != nil || line.Command == "error" {
			s.t.Fatalf("heard %q, %v", s.out.Text(), err)
		}
		if slices.Contains(commands, line.Command) {
			return line
		}
	}
	s.t.Fatalf("none of %v: %v", commands, s.out.Err())
	return hub.Line{}
}

// The model plays whole games by Hub with clocks, against itself and against the baseline, without
// a fault of the protocol or an illegal move. Some ponder searches guess the move and some do not.
// The test does not check the clocks, because they depend on the load of the machine; package hub
// tests the planning of time with a simulated clock.
func TestHubGame(t *testing.T) {
	for _, c := range []struct{ name, white, black string }{
		{"model against itself", "", ""},
		{"baseline against model", "alphabeta:depth=3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := rules.International
			sides := [2]*hubSide{
				newHubSide(t, &options{player: c.white}),
				newHubSide(t, &options{player: c.black}),
			}
			const total, inc = 500 * time.Millisecond, 2 * time.Millisecond
			clocks := [2]time.Duration{total, total}
			g := rules.NewGame(v)
			var moves []string
			for !g.Over() && g.Ply() < 300 {
				turn := g.Position().Turn
				d := sides[turn]
				fmt.Fprintf(d.in, "pos pos=%s moves=\"%s\"\n", v.HubString(v.Start()), strings.Join(moves, " "))
				fmt.Fprintf(d.in, "level time=%f inc=%f\n", clocks[turn].Seconds(), inc.Seconds())
				began := time.Now()
				fmt.Fprintln(d.in, "go think")
				line := d.hear("done")
				clocks[turn] += inc - time.Since(began)
				text, _ := line.Get("move")
				m, err := notation.ParseHub(v, g.Position(), text)
				if err != nil {
					t.Fatalf("ply %d: %v", g.Ply(), err)
				}
				if err := g.Play(m); err != nil {
					t.Fatal(err)
				}
				moves = append(moves, text)
				if ponder, ok := line.Get("ponder"); ok && g.Ply()%10 == 0 && !g.Over() {
					expected, err := notation.ParseHub(v, g.Position(), ponder)
					if err != nil {
						t.Fatalf("ply %d: ponder move: %v", g.Ply(), err)
					}
					fmt.Fprintf(d.in, "pos start moves=\"%s %s\"\nlevel move-time=0.01\ngo ponder\n", strings.Join(moves, " "), ponder)
					// Otherwise done came at once.
					if len(v.AppendMoves(nil, v.Play(g.Position(), expected))) > 0 {
						fmt.Fprintln(d.in, "ping")
						d.hear("pong")
						fmt.Fprintln(d.in, [2]string{"ponder-hit", "stop"}[g.Ply()/10%2])
					}
					d.hear("done")
				}
			}
			for i, d := range sides {
				fmt.Fprintln(d.in, "quit")
				if err := <-d.end; err != nil {
					t.Errorf("side %d: %v", i, err)
				}
			}
			outcome, reason := g.Outcome()
			t.Logf("%v, %q after %d plies, clocks %v", outcome, reason, g.Ply(), clocks)
		})
	}
}

func TestSignalsAreCaught(t *testing.T) {
	c := command(t)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(out).ReadString('\n')
	c.Process.Signal(syscall.SIGTERM)
	io.Copy(io.Discard, out)
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("after SIGTERM: %v", err)
	}
}
