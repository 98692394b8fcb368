// Command play plays draughts: a person against a model in a terminal or a browser, and any Hub program against one. It also
// answers questions about the rules, as JSON.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"damier/internal/cli"
)

func main() { os.Exit(run()) }

// run is main without the exit, as the scripted tests call it.
func run() int {
	// A reader that went away is told as an error of the write, not by silent death.
	signal.Ignore(syscall.SIGPIPE)
	return cli.Main(newCommand())
}
