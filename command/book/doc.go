// Package book is the command book: it makes opening books of any variant, verifies them and
// shows what they hold.
package book

import "github.com/spf13/cobra"

// New returns the command book.
func New() *cobra.Command { return newCommand() }
