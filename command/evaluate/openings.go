package evaluate

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"damier/arena"
	"damier/internal/cli"
	"damier/internal/publish"
)

func newOpeningsCommand() *cobra.Command {
	var (
		c       arena.OpeningsConfig
		variant string
		out     string
		pieces  string
	)
	cmd := &cobra.Command{
		Use:   "openings --out FILE",
		Short: "Make openings for matches",
		Long: `Make a file of openings: sequences of random legal moves. After them no capture is pending, no man is lost,
and a search of the alpha-beta baseline finds neither side ahead. No two positions are equal, also not with
the board turned round and the colours swapped. The same flags make the same file. A file that
is there is not replaced.

With --unbalanced each opening favours one side, White and Black in turn, by half a man to a man and a half,
so few games are drawn. The match is still fair, because every opening is played with both colours.

With --pieces 6-8 the file has endings instead: positions with 6 to 8 pieces from games of the baseline
against itself.

The file is text: a line "damier-openings 1 VARIANT", then one opening a line, its moves from the start or its
position.`,
		Example: `  evaluate openings --count 300 --seed 1 --out openings.txt
  evaluate openings --variant frisian --unbalanced --count 50 --out unbalanced.txt
  evaluate openings --variant english --pieces 6-8 --count 200 --out endings.txt`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := cli.Variant(variant, "")
			if err != nil {
				return err
			}
			if out == "" {
				return cli.Usagef("--out is missing: where should the openings go?")
			}
			if c.Count < 1 {
				return cli.Usagef("--count %d is too small", c.Count)
			}
			if err := cli.NewFile("out", out); err != nil {
				return err
			}
			if pieces != "" {
				return makeEndings(cmd, v, c, pieces, out)
			}
			c := c.WithDefaults(v)
			bar := newProgress(cmd.ErrOrStderr(), c.Count)
			c.Progress = func(int) { bar.step("") }
			openings, err := arena.MakeOpenings(cmd.Context(), v, c)
			bar.done()
			if err != nil {
				return err
			}
			comment := fmt.Sprintf("%d openings made by: evaluate openings --variant %s --count %d --seed %d --depth %d",
				len(openings), v.Name, c.Count, c.Seed, c.Depth)
			if c.Unbalanced {
				comment += fmt.Sprintf(" --unbalanced --advantage %d --max-advantage %d", c.Advantage, c.MaxAdvantage)
			}
			for _, name := range []string{"min-plies", "max-plies"} {
				if f := cmd.Flags().Lookup(name); f.Changed {
					comment += fmt.Sprintf(" --%s %s", name, f.Value)
				}
			}
			return publish.Write(out, func(w io.Writer) error { return arena.WriteOpenings(w, v, comment, openings) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&variant, "variant", "international", "variant of the game")
	f.IntVar(&c.Count, "count", 300, "number of openings")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of the random moves")
	f.IntVar(&c.MinPlies, "min-plies", 0, "shortest opening; 0 chooses by the variant: 6 plies on 10x10 squares")
	f.IntVar(&c.MaxPlies, "max-plies", 0, "longest opening; 0 chooses by the variant: 10 plies on 10x10 squares")
	f.IntVar(&c.Depth, "depth", 0, "depth of the search that checks the balance, in plies; 0 chooses by the variant")
	f.BoolVar(&c.Unbalanced, "unbalanced", false, "make openings that favour one side, White and Black in turn")
	f.IntVar((*int)(&c.Advantage), "advantage", 0, "smallest advantage, in hundredths of a man; 0 means 50")
	f.IntVar((*int)(&c.MaxAdvantage), "max-advantage", 0, "largest advantage; 0 means 100 more than the smallest")
	f.StringVar(&pieces, "pieces", "", "make endings with this number of pieces on the board, such as 6 or 6-8")
	f.StringVar(&out, "out", "", "new file to write (required)")
	return cmd
}
