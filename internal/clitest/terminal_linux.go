package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is a pseudo-terminal on which a command runs.
type Terminal struct {
	t       *testing.T
	master  *os.File
	slave   *os.File // kept open, so that its settings can be read after the command has ended
	command *exec.Cmd
	before  unix.Termios

	mu   sync.Mutex
	raw  []byte // everything written to the terminal
	seen int    // number of bytes of raw that Until has consumed
}

// Start starts a command on a new terminal.
func Start(t *testing.T, c *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("a pseudo-terminal: %v", err)
		}
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(err)
	must(unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(err)
	x := &Terminal{t: t, master: master, slave: slave, command: c}
	x.Resize(width, height)
	x.before = x.settings()
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(c.Start())
	go x.read()
	t.Cleanup(func() {
		c.Process.Kill()
		slave.Close()
		master.Close()
	})
	return x
}

func (x *Terminal) read() {
	buffer := make([]byte, 1<<16)
	for {
		n, err := x.master.Read(buffer)
		x.mu.Lock()
		x.raw = append(x.raw, buffer[:n]...)
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Resize changes the size of the window and signals it to the command.
func (x *Terminal) Resize(width, height int) {
	x.t.Helper()
	size := &unix.Winsize{Row: uint16(height), Col: uint16(width)}
	if err := unix.IoctlSetWinsize(int(x.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		x.t.Fatal(err)
	}
}

func (x *Terminal) settings() unix.Termios {
	x.t.Helper()
	s, err := unix.IoctlGetTermios(int(x.slave.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return *s
}

// Raw returns everything written to the terminal.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(x.raw)
}

var sequence = regexp.MustCompile(`\x1b(\[[0-9;?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78])`)

// Until waits until a text has been written since the last Until, ignoring escape sequences.
func (x *Terminal) Until(text string) {
	x.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		now := len(x.raw)
		plain := sequence.ReplaceAllString(string(x.raw[x.seen:]), "")
		if strings.Contains(plain, text) {
			x.seen = now
			x.mu.Unlock()
			return
		}
		x.mu.Unlock()
		if time.Now().After(deadline) {
			x.t.Fatalf("%q is not written; there is\n%s", text, plain)
		}
	}
}

// Type types on the terminal.
func (x *Terminal) Type(text string) {
	x.t.Helper()
	if _, err := x.master.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

// Click sends a click with the left button at a column and line, which count from 0, in the
// encoding SGR (mode 1006).
func (x *Terminal) Click(column, line int) {
	x.t.Helper()
	x.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%[1]d;%[2]dm", column+1, line+1))
}

// rest returns everything written to the terminal after the command has ended. It writes a mark
// itself and waits for it: a terminal keeps the order, so everything before the mark has then been
// read.
func (x *Terminal) rest() string {
	x.t.Helper()
	const mark = "<the command has ended>"
	if _, err := x.slave.WriteString(mark); err != nil {
		x.t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if raw, _, ended := strings.Cut(x.Raw(), mark); ended {
			return raw
		}
		if time.Now().After(deadline) {
			x.t.Fatal("what was written to the terminal does not come")
		}
	}
}

// Wait waits for the end of the command. It fails the test if the exit code differs, or if the
// settings of the terminal are not as before.
func (x *Terminal) Wait(code int) {
	x.t.Helper()
	done := make(chan struct{})
	go func() { x.command.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		x.t.Fatalf("the command does not end; there is\n%s", sequence.ReplaceAllString(x.Raw(), ""))
	}
	if got := x.command.ProcessState.ExitCode(); got != code {
		x.t.Errorf("exit code %d, want %d; there is\n%s", got, code, sequence.ReplaceAllString(x.Raw(), ""))
	}
	if after := x.settings(); after != x.before {
		x.t.Errorf("the settings of the terminal are left as %+v, before %+v", after, x.before)
	}
	raw := x.rest()
	// Screen, mouse, its coordinates, paste.
	for _, mode := range []string{"?1049", "?1002", "?1006", "?2004"} {
		if strings.LastIndex(raw, "\x1b["+mode+"h") > strings.LastIndex(raw, "\x1b["+mode+"l") {
			x.t.Errorf("mode %s of the terminal is left on", mode)
		}
	}
	if strings.LastIndex(raw, "\x1b[?25l") > strings.LastIndex(raw, "\x1b[?25h") {
		x.t.Error("the cursor is left hidden")
	}
}
