package evaluate

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"damier/arena"
	"damier/internal/cli"
	"damier/internal/publish"
	"damier/rules"
)

// makeEndings writes a file of endings with the given number of pieces. It uses the flags of
// evaluate openings.
func makeEndings(cmd *cobra.Command, v *rules.Variant, o arena.OpeningsConfig, pieces, out string) error {
	for _, name := range []string{"unbalanced", "min-plies", "max-plies", "advantage", "max-advantage"} {
		if cmd.Flags().Lookup(name).Changed {
			return cli.Usagef("--%s is of openings: it does not go with --pieces", name)
		}
	}
	c := arena.EndingsConfig{Count: o.Count, Seed: o.Seed, Depth: o.Depth}
	low, high, ranged := strings.Cut(pieces, "-")
	if !ranged {
		high = low
	}
	var err error
	if c.MinPieces, err = strconv.Atoi(low); err == nil {
		c.MaxPieces, err = strconv.Atoi(high)
	}
	if err != nil || c.MinPieces < 4 || c.MinPieces > c.MaxPieces || c.MaxPieces > v.Board.Squares() {
		return cli.Usagef("--pieces %q is not a number of pieces such as 6, or a range such as 6-8, from 4 up", pieces)
	}
	bar := newProgress(cmd.ErrOrStderr(), c.Count)
	c.Progress = func(int) { bar.step("") }
	endings, err := arena.MakeEndings(cmd.Context(), v, c)
	bar.done()
	if err != nil {
		return err
	}
	comment := fmt.Sprintf("%d endings made by: evaluate openings --variant %s --pieces %s --count %d --seed %d",
		len(endings), v.Name, pieces, c.Count, c.Seed)
	if c.Depth > 0 {
		comment += fmt.Sprintf(" --depth %d", c.Depth)
	}
	return publish.Write(out, func(w io.Writer) error { return arena.WriteOpenings(w, v, comment, endings) })
}
