package train

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"damier/internal/cli"
)

// nnueCommand returns a command that names the replacement of a former command.
func nnueCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "nnue",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, _ []string) error {
			fmt.Fprintln(c.ErrOrStderr(), "train: `train nnue` is gone, because `train` itself trains this network; self-play by alpha-beta is --set selfplay.search=alphabeta")
			return cli.WithCode(cli.Usage, errors.New(""))
		},
	}
}
