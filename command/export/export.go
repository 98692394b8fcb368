// Package export is the command export: a network in a format of other programs.
package export

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/publish"
	"damier/net/onnx"
	"damier/rules"
)

// New returns the command export.
func New() *cobra.Command {
	var model, variant, out string
	c := &cobra.Command{
		Use:   "export --onnx OUT.onnx [--model FILE | --variant V]",
		Short: "Write a network as an ONNX model, for other programs and languages",
		Long: `Write the network of a file, or the one that comes with the program for --variant, as an ONNX model
with one input, /input/planes, and one output, /output/value. docs/onnx.md says what they mean and has
an example in Python. A file that is there is not overwritten.

Exit code: 0 ok, 1 failure, 2 wrong usage or the file is there, 4 a damaged or foreign network.`,
		Example: `  damier export --onnx international.onnx
  damier export --onnx mine.onnx --model runs/russian/model.nnue
  damier export --onnx frisian.onnx --variant frisian`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case out == "":
				return cli.Usagef("--onnx is missing: where should the model go?")
			case model != "" && c.Flags().Changed("variant"):
				return cli.Usagef("--model and --variant contradict each other: the file says its variant")
			}
			if err := cli.NewFile("onnx", out); err != nil {
				return err
			}
			var v *rules.Variant
			if model == "" {
				var err error
				if v, err = cli.Variant(variant, ""); err != nil {
					return err
				}
			}
			m, err := open.Network(v, model)
			if err != nil {
				return err
			}
			if err := publish.Write(out, func(w io.Writer) error { return onnx.Write(w, m) }); err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "%s is written\n", out)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&out, "onnx", "", "file to write (required)")
	f.StringVar(&model, "model", "", "network file; the one that comes with the program for --variant when empty")
	f.StringVar(&variant, "variant", rules.International.Name, "variant whose network is written")
	cli.CompleteVariant(c)
	return c
}
