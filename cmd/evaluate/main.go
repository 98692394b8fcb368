// Command evaluate plays matches and tournaments and reports what they prove. It is damier
// evaluate as a separate program.
package main

import (
	"os"

	"damier/command/evaluate"
	"damier/internal/cli"
)

func main() { os.Exit(cli.Main(evaluate.New())) }
