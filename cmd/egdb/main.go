// Command egdb makes endgame tables of any variant, verifies them and asks them.
package main

import (
	"os"

	"damier/internal/cli"
)

func main() { os.Exit(run()) }

// run is main without the exit, as the scripted tests call it.
func run() int { return cli.Main(newCommand()) }
