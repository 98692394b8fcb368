// Command damier trains, measures and plays draughts networks: one program with the commands
// train, selfplay, evaluate, play and egdb.
package main

import (
	"os"

	"damier/command"
	"damier/internal/cli"
)

// version and commit are those of a release; scripts/reproducible.sh and .goreleaser.yaml have the
// linker set them.
var version, commit string

func main() {
	cli.Release(version, commit)
	os.Exit(cli.Main(command.New()))
}
