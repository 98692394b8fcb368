// Package evaluate is the command evaluate: matches, tournaments and what they prove.
package evaluate

import "github.com/spf13/cobra"

// New returns the command evaluate.
func New() *cobra.Command { return newCommand() }
