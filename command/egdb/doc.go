// Package egdb is the command egdb: it makes endgame tables of any variant, verifies them and
// probes them.
package egdb

import "github.com/spf13/cobra"

// New returns the command egdb.
func New() *cobra.Command { return newCommand() }
