package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "egdb", func() { os.Exit(run()) }) }

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) { clitest.Run(t, nil) }

// TestKilledBuildGoesOn kills builds with SIGKILL until one is through; then all is right and nothing is
// left over but what a killed writer leaves.
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
	// All materials of two and three pieces are there.
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

func TestDataDir(t *testing.T) {
	home := func() (string, error) { return "/home/me", nil }
	none := func() (string, error) { return "", errors.New("no home") }
	for _, c := range []struct {
		system, xdg, local string
		want               string
	}{
		{"linux", "", "", "/home/me/.local/share"},
		{"linux", "/data", "", "/data"},
		{"linux", "relative", "", "/home/me/.local/share"},
		{"linux", "", `C:\local`, "/home/me/.local/share"},
		{"windows", "", `C:\local`, `C:\local`},
		{"darwin", "", "", "/home/me/Library/Application Support"},
	} {
		getenv := func(name string) string {
			return map[string]string{"XDG_DATA_HOME": c.xdg, "LocalAppData": c.local}[name]
		}
		if got, err := dataDir(c.system, getenv, home); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	if dir, err := dataDir("linux", func(string) string { return "" }, none); err == nil {
		t.Errorf("without a home: %s", dir)
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
