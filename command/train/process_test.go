package train

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"damier/internal/clitest"
)

// process returns the program as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return clitest.Command(t, "train", args...)
}

// endless returns the settings of a run that never ends by itself. It makes no forecast, which
// would take time.
func endless(dir string) []string {
	return []string{"--quiet", "--preset", "tiny", "--run", dir, "--generations", "1000000", "--set", "selfplay.max_plies=40"}
}

// start starts a run and waits until it has published a network.
func start(t *testing.T, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := process(t, args...)
	out, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), " gen ") {
			return c, lines
		}
	}
	c.Wait()
	t.Fatal("no generation")
	return nil, nil
}

// Ctrl-C ends the run cleanly, with exit code 130, and prints the command that continues it.
func TestInterrupt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		args := endless(dir)
		if signal == syscall.SIGTERM {
			args = []string{"--quiet", "--run", dir} // the run continues with its own settings
		}
		c, lines := start(t, args...)
		// A second learner is refused while the run is in use, and so is a verification.
		if out, err := process(t, "--run", dir).CombinedOutput(); err == nil || !strings.Contains(string(out), "another learner holds the run") {
			t.Errorf("a second learner: %v, %s", err, out)
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for lines.Scan() {
			text.WriteString(lines.Text() + "\n")
		}
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != 128+int(signal) {
			t.Errorf("code %d after %v", got, signal)
		}
		for _, want := range []string{"stopped after", "to go on: ", " --run " + dir, "to play it: "} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%q is not in\n%s", want, text.String())
			}
		}
		if out, err := process(t, "verify", "--run", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// A killed run can be continued, and so can one whose output pipe was closed or that got two
// signals at once.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c, lines := start(t, endless(dir)...)
	c.Process.Kill()
	for lines.Scan() {
	}
	c.Wait()
	if out, err := process(t, "verify", "--run", dir).CombinedOutput(); err != nil {
		t.Fatalf("after kill: %v: %s", err, out)
	}
	c, lines = start(t, "--quiet", "--run", dir)
	c.Process.Signal(os.Interrupt)
	c.Process.Signal(syscall.SIGTERM)
	for lines.Scan() {
	}
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != 130 && got != 143 {
		t.Errorf("code %d after two signals", got)
	}
	if out, err := process(t, "verify", "--run", dir).CombinedOutput(); err != nil {
		t.Fatalf("after two signals: %v: %s", err, out)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	p := process(t, "config")
	p.Stdout = w
	var talk strings.Builder
	p.Stderr = &talk
	p.Run()
	w.Close()
	if p.ProcessState.ExitCode() != 0 || talk.String() != "" {
		t.Errorf("closed pipe: %v, %q", p.ProcessState, talk.String())
	}
}
