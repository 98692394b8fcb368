package play

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"damier/notation"
	"damier/rules"
)

// listenDXP runs `play dxp` with a listening socket until ctx or the test ends. It returns the
// address, and a function that waits for the end and returns the output.
func listenDXP(t *testing.T, ctx context.Context, args ...string) (address string, end func() (string, error)) {
	t.Helper()
	c := newCommand()
	var out strings.Builder
	talk, w := io.Pipe()
	c.SetOut(&out)
	c.SetErr(w)
	c.SetArgs(append([]string{"dxp", "--listen", ":0"}, args...))
	done := make(chan error, 1)
	go func() {
		done <- c.ExecuteContext(ctx)
		w.Close()
	}()
	lines := bufio.NewReader(talk)
	line, err := lines.ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening at ")
	if err != nil || !ok || !strings.HasPrefix(address, "127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, lines)
	return address, func() (string, error) {
		err := <-done
		return out.String(), err
	}
}

// runDXP runs `play dxp` to its end and returns its output.
func runDXP(t *testing.T, args ...string) (string, error) {
	t.Helper()
	c := newCommand()
	var out strings.Builder
	c.SetOut(&out)
	c.SetErr(io.Discard)
	c.SetArgs(append([]string{"dxp"}, args...))
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

// Two of our engines play whole games, in all four combinations of who listens and who asks for
// the game. Both ends report the same games.
func TestDXP(t *testing.T) {
	times := regexp.MustCompile(`, [0-9.]+ s and [0-9.]+ s\n`)
	for _, c := range []struct{ name, listener, caller string }{
		{"caller asks", "--role follower --games 4", "--role initiator --games 4"},
		{"listener asks", "--role initiator --games 4 --clock 1m --moves 20", "--role follower --games 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			first, second := filepath.Join(dir, "a.pdn"), filepath.Join(dir, "b.pdn")
			address, end := listenDXP(t, t.Context(), append(strings.Fields(c.listener), "--player", "alphabeta:depth=2", "--pdn", first, "--name", "Listener")...)
			out, err := runDXP(t, append(strings.Fields(c.caller), "--connect", address, "--player", "random", "--pdn", second, "--name", "Caller")...)
			if err != nil {
				t.Error(err)
			}
			heard, err := end()
			if err != nil {
				t.Error(err)
			}
			if times.ReplaceAllString(heard, "\n") != times.ReplaceAllString(out, "\n") || strings.Count(out, "game ") != 4 {
				t.Errorf("one end printed\n%s\nthe other\n%s", heard, out)
			}
			a, err := notation.ReadFile(rules.International, first)
			if err != nil || len(a) != 4 {
				t.Fatalf("%d games, %v", len(a), err)
			}
			b, err := notation.ReadFile(rules.International, second)
			if err != nil || len(b) != 4 {
				t.Fatalf("%d games, %v", len(b), err)
			}
			for i := range a {
				if fmt.Sprint(a[i].Moves()) != fmt.Sprint(b[i].Moves()) || a[i].Tags.Get("White") != b[i].Tags.Get("White") {
					t.Errorf("game %d differs", i+1)
				}
				if white := a[i].Tags.Get("White"); i > 0 && white == a[i-1].Tags.Get("White") {
					t.Errorf("%s is White twice in a row", white)
				}
				if strings.Contains(c.listener, "--moves") && a[i].Ply() > 40 {
					t.Errorf("%d plies in a game of 20 moves", a[i].Ply())
				}
			}
		})
	}
}

// A listener keeps serving whatever its partners do, and obeys the clock of the game request.
func TestDXPListener(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address, end := listenDXP(t, ctx, "--player", "alphabeta")
	for _, text := range []string{"", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 1000), "M0000322800\x00", fmt.Sprintf("R01%-32sW0.1000A\x00", "gone")} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, text)
		c.Close()
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "R01%-32sW0.1000A\x00", "Test") // 6 s for the game
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	r := bufio.NewReader(c)
	if text, err := r.ReadString(0); err != nil || !strings.HasPrefix(text, "ADamier alphabeta-1 ") || text[33] != '0' {
		t.Errorf("%q, %v", text, err)
	}
	began := time.Now()
	if text, err := r.ReadString(0); err != nil || text[0] != 'M' || time.Since(began) > 6*time.Second {
		t.Errorf("%q after %s, %v", text, time.Since(began), err)
	}
	cancel()
	if _, err := end(); err != context.Canceled {
		t.Errorf("%v", err)
	}
}
