// Command play plays draughts: a person against a network in a browser or a terminal, and any Hub
// program against one. It is damier play as a separate program.
package main

import (
	"os"

	"damier/command/play"
	"damier/internal/cli"
)

func main() { os.Exit(cli.Main(play.New())) }
