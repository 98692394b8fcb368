package play

import (
	"os"
	"os/exec"
	"runtime"
)

// opener returns the command that opens an address on a system, nil if there is no screen: over
// ssh, for example, such a command may start a text browser in the terminal.
func opener(system string, getenv func(string) string) []string {
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}

// openBrowser asks the system to open an address, and does not wait. It returns false if the
// system cannot be asked; it does not know whether the browser succeeds.
func openBrowser(address string) bool {
	command := opener(runtime.GOOS, os.Getenv)
	if command == nil {
		return false
	}
	c := exec.Command(command[0], append(command[1:], address)...)
	if c.Start() != nil { // without our streams, so that its output does not appear on this terminal
		return false
	}
	go c.Wait()
	return true
}
