//go:build unix

package hub

import (
	"syscall"
	"testing"
)

// Ctrl-C in a terminal goes to everybody in the group of processes, and must not end a program in the middle of a game.
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
