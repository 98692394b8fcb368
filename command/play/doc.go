// Package play is the command play: a person against a network in a browser or a terminal, and any
// Hub program against one. It also answers questions about the rules, as JSON.
package play

import "github.com/spf13/cobra"

// New returns the command play.
func New() *cobra.Command { return newCommand() }
