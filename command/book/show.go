package book

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"damier/book"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/rules"
)

// showJSON is the output of show.
type showJSON struct {
	File string `json:"file"`
	book.Header
}

func newShowCommand() *cobra.Command {
	var f flags
	var asJSON bool
	c := &cobra.Command{
		Use:   "show [flags]",
		Short: "Print what a book is, and its moves at the start",
		Long: `Print what the header of a book says: how many positions it holds and how it was made; and its moves at the start.

Exit code: 0 ok, 1 failure (there is no book), 2 wrong usage, 4 a damaged or foreign file.`,
		Example: `  damier book show --variant english
  damier book show --variant frisian --book frisian.book --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, b, err := f.open()
			if err != nil {
				return err
			}
			h := b.Header()
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(showJSON{b.Name(), h})
			}
			fmt.Fprintf(c.OutOrStdout(), "%s\n%s: %d positions, %d of them with all moves, down to ply %d\nmade by: %s\nengine: %s, %d nodes or visits a search\n",
				b.Name(), h.Variant, h.Positions, h.Expanded, h.Plies, h.Made, h.Recipe.Engine, h.Recipe.Nodes)
			if n := h.Recipe.Network; n != "" {
				fmt.Fprintf(c.OutOrStdout(), "network: SHA-256 %s%s\n", n, whose(v, n))
			}
			return printMoves(c.OutOrStdout(), v, b, v.Start())
		},
	}
	f.Add(c)
	f.addBook(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// whose says whether a hash is that of the network that comes with the program.
func whose(v *rules.Variant, hash string) string {
	own, err := open.NetworkHash(v, open.Spec{Kind: open.NNUE})
	switch {
	case err != nil:
		return ""
	case own == hash:
		return ", the one that comes with this program"
	}
	return ", not the one that comes with this program"
}

// probeJSON is the output of probe.
type probeJSON struct {
	Variant  string     `json:"variant"`
	FEN      string     `json:"fen"`
	Expected float64    `json:"expected"` // score for the side to move, in [0,1]
	Moves    []moveJSON `json:"moves"`    // the best first; none if the book has not expanded the position
}

// moveJSON is a move of a book.
type moveJSON struct {
	Notation string  `json:"notation"`
	Expected float64 `json:"expected"` // for the side that moves, in [0,1]
	Men      float64 `json:"men"`      // the same in men
}

func movesOf(v *rules.Variant, b *book.Book, p rules.Position) []moveJSON {
	all := []moveJSON{}
	for _, m := range b.Moves(p) {
		e := m.Score.Expected()
		all = append(all, moveJSON{v.FormatMove(m.Move), e, engine.Men(e)})
	}
	return all
}

func printMoves(w io.Writer, v *rules.Variant, b *book.Book, p rules.Position) error {
	for _, m := range movesOf(v, b, p) {
		if _, err := fmt.Fprintf(w, "%-12s %.4f  %+.2f\n", m.Notation, m.Expected, m.Men); err != nil {
			return err
		}
	}
	return nil
}

func newProbeCommand() *cobra.Command {
	var f flags
	var fen string
	var asJSON bool
	c := &cobra.Command{
		Use:   "probe [flags]",
		Short: "Print the moves of a book in a position",
		Long: `Print the moves of a position with their expected scores for the side that moves, the best first, and the same
scores in men.

Exit code: 0 ok, 1 failure (there is no book, or the position is not in it), 2 wrong usage, 4 a damaged or foreign
file.`,
		Example: `  damier book probe --variant international
  damier book probe --variant english --fen "W:W21-32:B1-8,10-12,14" --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, b, err := f.open()
			if err != nil {
				return err
			}
			p := v.Start()
			if fen != "" {
				if p, err = rules.ParseFEN(v, fen); err != nil {
					return cli.Usagef("--fen: %w", err)
				}
			}
			score, expanded, ok := b.Probe(p)
			if !ok {
				return cli.WithCode(cli.Failure, fmt.Errorf("%s: the book does not hold %s", b.Name(), v.FEN(p)))
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(probeJSON{v.String(), v.FEN(p), score.Expected(), movesOf(v, b, p)})
			}
			if !expanded {
				fmt.Fprintf(c.OutOrStdout(), "the position is worth %.4f; its moves are not in the book\n", score.Expected())
				return nil
			}
			return printMoves(c.OutOrStdout(), v, b, p)
		},
	}
	f.Add(c)
	f.addBook(c)
	c.Flags().StringVar(&fen, "fen", "", "the position; the start of the variant when empty")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// verifyJSON is the output of verify.
type verifyJSON struct {
	Variant   string  `json:"variant"`
	File      string  `json:"file"`
	Positions int     `json:"positions"` // in the file
	Reached   int     `json:"reached"`   // from the start by moves of the book
	Seconds   float64 `json:"seconds"`
}

func newVerifyCommand() *cobra.Command {
	var f flags
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify [flags]",
		Short: "Check a book",
		Long: `Read a book and compare its checksums; then follow all moves from the start, and compare the score of each position
with the best of those after it.

Exit code: 0 all is right, 1 failure (there is no book), 2 wrong usage, 4 a damaged or foreign file.`,
		Example: `  damier book verify --variant english
  damier book verify --variant frisian --book frisian.book`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, b, err := f.open()
			if err != nil {
				return err
			}
			began := time.Now()
			n, err := b.Verify()
			if err != nil {
				return withCode(err)
			}
			sum := verifyJSON{v.String(), b.Name(), b.Header().Positions, n, time.Since(began).Seconds()}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(sum)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: the book of %s is right: %d positions, %d reached from the start, %.1f s\n",
				b.Name(), v, sum.Positions, n, sum.Seconds)
			return nil
		},
	}
	f.Add(c)
	f.addBook(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
