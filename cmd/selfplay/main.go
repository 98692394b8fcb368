// Command selfplay plays games of a network against itself: as an extra worker of a run, or alone.
// It is damier selfplay as a program of its own.
package main

import (
	"os"

	"damier/internal/cli"
	"damier/internal/command/selfplay"
)

func main() { os.Exit(cli.Main(selfplay.New())) }
