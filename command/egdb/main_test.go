package egdb

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "egdb", func() { os.Exit(cli.Main(newCommand())) }) }

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) { clitest.Run(t, nil) }

// TestKilledBuildGoesOn kills builds with SIGKILL until one finishes. All tables are then right,
// and the only extra files are the unfinished ones of killed writers.
func TestKilledBuildGoesOn(t *testing.T) {
	dir := t.TempDir()
	wait := 40 * time.Millisecond
	kills := 0
	for {
		build := clitest.Command(t, "egdb", "build", "--variant", "killer", "--pieces", "3", "--egdb", dir)
		if err := build.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- build.Wait() }()
		var err error
		select {
		case err = <-done:
		case <-time.After(wait):
			build.Process.Signal(syscall.SIGKILL)
			err = <-done
		}
		if err == nil {
			break
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("build ended with %v", err)
		}
		kills++
		wait += 40 * time.Millisecond
	}
	if kills == 0 {
		t.Error("no build was killed")
	}
	if out, err := clitest.Command(t, "egdb", "verify", "--variant", "killer", "--egdb", dir).CombinedOutput(); err != nil {
		t.Errorf("after %d kills: %v: %s", kills, err, out)
	}
	// The tables of all combinations of two and three pieces exist.
	files, err := os.ReadDir(filepath.Join(dir, "killer"))
	tables := 0
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".egdb" {
			tables++
		}
	}
	if err != nil || tables != 4+12 {
		t.Errorf("%d tables, %v", tables, err)
	}
}

// TestInterruptedBuild stops a build by Ctrl-C: the exit code is 130, and the message says how to
// continue.
func TestInterruptedBuild(t *testing.T) {
	dir := t.TempDir()
	build := clitest.Command(t, "egdb", "build", "--variant", "canadian", "--pieces", "4", "--egdb", dir)
	var talk strings.Builder
	build.Stderr = &talk
	out, err := build.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // the first file exists
		t.Fatal(err)
	}
	build.Process.Signal(os.Interrupt)
	io.Copy(io.Discard, out)
	build.Wait()
	if code := build.ProcessState.ExitCode(); code != 130 || !strings.Contains(talk.String(), "the same command goes on") {
		t.Errorf("exit code %d: %s", code, talk.String())
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]uint64{"2GB": 2 << 30, "500 mb": 500 << 20, "1.5GB": 3 << 29, "1MB": 1 << 20} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "GB", "-1GB", "0.1MB", "NaNGB", "1e300GB", "InfGB", "2TB"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q is %d bytes", text, got)
		}
	}
}
