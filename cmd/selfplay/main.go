// Command selfplay plays games of a network against itself: as an extra worker of a run, or alone.
// It is damier selfplay as a separate program.
package main

import (
	"os"

	"damier/command/selfplay"
	"damier/internal/cli"
)

func main() { os.Exit(cli.Main(selfplay.New())) }
