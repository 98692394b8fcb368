// Command damier trains, measures and plays draughts networks: one program with the commands
// train, selfplay, evaluate, play and egdb.
package main

import (
	"os"

	"damier/command"
	"damier/internal/cli"
)

func main() { os.Exit(cli.Main(command.New())) }
