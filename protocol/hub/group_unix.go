//go:build unix

package hub

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C from a program: who plays against it ends the game, and then it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program and what it has started, a shell's engine, say.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
