//go:build unix

package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ctrl-C in a terminal reaches every process of the group, but must not end an engine in the
// middle of a game.
func TestProgramHasItsOwnGroup(t *testing.T) {
	p, err := startProcess([]string{"cat"}, "")
	if err != nil {
		t.Fatal(err)
	}
	group, err := syscall.Getpgid(p.cmd.Process.Pid)
	if err != nil || group != p.cmd.Process.Pid {
		t.Errorf("the program is in group %d, %v; its own is %d", group, err, p.cmd.Process.Pid)
	}
	if err := p.in.Close(); err != nil {
		t.Error(err)
	}
	<-p.dead
}

// A program that does not end when it is asked to takes what it has started with it.
func TestKillGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	p, err := startProcess([]string{"sh", "-c", "sleep 100 & echo $! > " + file + "; sleep 100"}, "")
	if err != nil {
		t.Fatal(err)
	}
	child := 0
	for end := time.Now().Add(10 * time.Second); child == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		child, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if child == 0 || syscall.Kill(child, 0) != nil {
		t.Fatalf("no child of the program: %d", child)
	}
	killGroup(p.cmd.Process)
	<-p.dead
	gone := func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		return err == nil && strings.Contains(string(stat), ") Z ") || errors.Is(syscall.Kill(child, 0), syscall.ESRCH)
	}
	for end := time.Now().Add(10 * time.Second); !gone(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program is dead, and its child lives")
		}
	}
}
