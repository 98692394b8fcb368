//go:build unix

package hub

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a program into its own process group, so that Ctrl-C at the terminal does not
// reach it. Its player ends the game first, and then the program.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program and the processes it has started, for example the engine started by a
// shell.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
