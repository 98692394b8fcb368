// Command egdb makes endgame tables of any variant, verifies them and probes them. It is damier
// egdb as a separate program.
package main

import (
	"os"

	"damier/internal/cli"
	"damier/internal/command/egdb"
)

func main() { os.Exit(cli.Main(egdb.New())) }
