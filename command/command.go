// Package command is the program damier. Its subcommands are those of the packages below it, which
// are also separate programs. It has only flags and wiring.
package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"damier/command/analyse"
	"damier/command/book"
	"damier/command/egdb"
	"damier/command/evaluate"
	"damier/command/export"
	"damier/command/play"
	"damier/command/selfplay"
	"damier/command/train"
	"damier/command/version"
	"damier/internal/cli"
)

// New returns the command damier.
func New() *cobra.Command {
	c := &cobra.Command{
		Use:   "damier",
		Short: "Train, measure and play draughts networks",
		Long: `Damier trains draughts networks from nothing but the rules, measures them and plays with them, in eighteen
variants.

Exit codes of all commands: 0 ok, 1 failure, 2 wrong usage, 3 the verdict is no, 4 damaged or foreign file,
5 inconclusive, 129, 130 or 143 stopped by a signal.`,
		Example: `  damier train --minutes 10
  damier evaluate --a tree --b alphabeta:depth=4
  damier play`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(train.New(), selfplay.New(), evaluate.New(), play.New(), egdb.New(), book.New(), analyse.New(), export.New(), version.New(), play.NewLidraughts(), newManCommand())
	return c
}

// newManCommand returns the command that writes the man pages.
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the man pages of all commands to a folder",
		Long:    "Write a man page of every command to the folder, which must exist. Pages that are there are replaced.",
		Example: "  damier man ~/.local/share/man/man1",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "Damier", Manual: "Damier"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("writing the man pages: %w", err)
			}
			return nil
		},
	}
}
