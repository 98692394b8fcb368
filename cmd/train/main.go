// Command train the whole loop in one process: self-play on every core, training, checkpoints,
// evaluation. It is damier train as a separate program.
package main

import (
	"os"

	"damier/internal/cli"
	"damier/internal/command/train"
)

func main() { os.Exit(cli.Main(train.New())) }
