package book

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "book", func() { os.Exit(cli.Main(newCommand())) }) }

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) { clitest.Run(t, nil) }

// TestKilledBuildGoesOn kills a build with SIGKILL and lets the next one go on: the book is the
// same as one that was made without a break.
func TestKilledBuildGoesOn(t *testing.T) {
	args := func(out string) []string {
		return []string{"build", "--variant", "english", "--positions", "1000", "--nodes", "100", "--save", "20ms", "--out", out}
	}
	whole, broken := filepath.Join(t.TempDir(), "a.book"), filepath.Join(t.TempDir(), "a.book")
	if out, err := clitest.Command(t, "book", args(whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	build := clitest.Command(t, "book", args(broken)...)
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(broken + ".work"); err == nil || time.Now().After(end) {
			break // the first searches are saved
		}
	}
	build.Process.Signal(syscall.SIGKILL)
	build.Wait()
	if out, err := clitest.Command(t, "book", args(broken)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	a, err := os.ReadFile(whole)
	b, err2 := os.ReadFile(broken)
	if err != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("the books differ, or %v, %v", err, err2)
	}
}

// TestInterruptedBuild stops a build by Ctrl-C: exit code 130, and what was found is kept.
func TestInterruptedBuild(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.book")
	build := clitest.Command(t, "book", "build", "--variant", "english", "--minutes", "10", "--nodes", "100", "--save", "20ms", "--out", out)
	talk, err := build.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(out + ".work"); err == nil {
			break
		}
	}
	build.Process.Signal(os.Interrupt)
	text := make([]byte, 4096)
	n, _ := talk.Read(text)
	err = build.Wait()
	exit, _ := err.(*exec.ExitError)
	if exit == nil || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v: %s", err, text[:n])
	}
	if _, err := os.Stat(out + ".work"); err != nil {
		t.Error(err)
	}
}
