package book

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"damier/book"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/rules"
)

func newCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "book",
		Short: "Make opening books of any variant, verify them and look into them",
		Long: `An opening book holds positions of the opening with their scores, found by searches of our own engine. play uses
it: play --book.

The book of a variant is a file of $` + book.Environment + `, else of damier/book in the user's data directory. For some
variants a small book comes with the program. See docs/book.md.

Exit code: 0 ok, 1 failure, 2 wrong usage, 4 a damaged or foreign file, 130 interrupted.`,
		Example: `  damier book build --variant english --minutes 10
  damier book show --variant english
  damier book probe --variant english --fen "W:W21-32:B1-8,10-12,14"
  damier book verify --variant english`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.Usagef("give a command: build, show, probe or verify")
		},
	}
	c.AddCommand(newBuildCommand(), newShowCommand(), newProbeCommand(), newVerifyCommand())
	return c
}

// flags choose a variant and a book.
type flags struct {
	cli.VariantFlags
	file string
}

// addBook adds the flag of a book that exists.
func (f *flags) addBook(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "book", book.On, "file of the book; on: yours, else the one that comes with the program")
}

// open opens the book of the flags.
func (f *flags) open() (*rules.Variant, *book.Book, error) {
	v, err := f.Lookup()
	if err != nil {
		return nil, nil, err
	}
	if f.file == "" || f.file == book.Off {
		return nil, nil, cli.Usagef("--book %q: give the name of a file, or on", f.file)
	}
	b, err := open.Book(v, f.file)
	if err == nil && b == nil {
		err = cli.WithCode(cli.Failure,
			fmt.Errorf("there is no book of %s; make one: damier book build --variant %s --minutes 10", v, v.Name))
	}
	return v, b, withCode(err)
}

// withCode gives an error of package book its exit code.
func withCode(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, book.ErrDamaged), errors.Is(err, book.ErrForeign):
		return cli.WithCode(cli.Damaged, err)
	case errors.Is(err, fs.ErrNotExist):
		return cli.WithCode(cli.Failure, err)
	}
	return err
}
