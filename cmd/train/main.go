// Command train the whole loop in one process: self-play on every core, training, checkpoints,
// evaluation. It is damier train as a separate program.
package main

import (
	"os"

	"damier/command/train"
	"damier/internal/cli"
)

func main() { os.Exit(cli.Main(train.New())) }
