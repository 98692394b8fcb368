// Command egdb makes endgame tables of any variant, verifies them and probes them. It is damier
// egdb as a separate program.
package main

import (
	"os"

	"damier/command/egdb"
	"damier/internal/cli"
)

func main() { os.Exit(cli.Main(egdb.New())) }
