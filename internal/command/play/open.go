package play

import (
	"os"
	"os/exec"
	"runtime"
)

// opener returns what opens an address on a system, nil where no browser could be seen: without a screen, as
// behind ssh, what opens addresses may take the terminal for a browser of text.
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

// openBrowser asks the system to open an address, and does not wait. It reports false where that cannot be asked; what
// becomes of it is the browser's affair.
func openBrowser(address string) bool {
	command := opener(runtime.GOOS, os.Getenv)
	if command == nil {
		return false
	}
	c := exec.Command(command[0], append(command[1:], address)...)
	if c.Start() != nil { // without our streams: what it says is not for this terminal
		return false
	}
	go c.Wait()
	return true
}
