// Command egdb makes endgame tables of any variant, verifies them and asks them. It is damier egdb
// as a program of its own.
package main

import (
	"os"

	"damier/internal/cli"
	"damier/internal/command/egdb"
)

func main() { os.Exit(cli.Main(egdb.New())) }
