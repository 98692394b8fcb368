// Command evaluate plays matches between any two players and says what they prove.
package main

import (
	"os"

	"damier/internal/cli"
)

func main() { os.Exit(run()) }

// run is main without the exit, as the scripted tests call it.
func run() int { return cli.Main(newCommand()) }
