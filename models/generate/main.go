// Command generate writes a small model with random weights, for a place where no trained one is yet. It leaves a
// file that exists alone.
package main

import (
	"fmt"
	"os"

	"damier/net"
	"damier/rules"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	m, err := net.NewModel(rules.International, net.Config{Channels: 16, Layers: 2}, 1)
	if err != nil {
		return err
	}
	return m.SaveFile(file)
}
