// Command evaluate plays matches and tournaments and says what they prove. It is damier evaluate
// as a program of its own.
package main

import (
	"os"

	"damier/internal/cli"
	"damier/internal/command/evaluate"
)

func main() { os.Exit(cli.Main(evaluate.New())) }
