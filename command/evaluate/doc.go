// Package evaluate is the command evaluate: matches and tournaments between players, tests of
// strength, openings and tactics.
package evaluate

import "github.com/spf13/cobra"

// New returns the command evaluate.
func New() *cobra.Command { return newCommand() }
