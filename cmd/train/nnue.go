package main

import (
	"github.com/spf13/cobra"

	"damier/internal/cli"
)

// nnueCommand says what took the place of a command that there was.
func nnueCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "nnue",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return cli.Usagef("train nnue is gone, for train itself trains this network: give the same length to train, and --set selfplay.search=alphabeta for self-play by alpha-beta")
		},
	}
}
