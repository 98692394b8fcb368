package egdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"damier/egdb"
	"damier/internal/cli"
	"damier/rules"
)

// summaryJSON is the last line of build and verify.
type summaryJSON struct {
	Variant   string  `json:"variant"`
	Dir       string  `json:"dir"`
	Pieces    int     `json:"pieces,omitempty"`  // build: largest number of pieces
	Files     int     `json:"files,omitempty"`   // build: files written now
	Positions uint64  `json:"positions"`         // in the files written, or checked
	Bytes     int64   `json:"bytes,omitempty"`   // of the files written
	Longest   int     `json:"longest,omitempty"` // plies of the longest win or loss in them
	Checked   string  `json:"checked,omitempty"` // verify: "checksums" or "moves"
	Seconds   float64 `json:"seconds"`
}

func newBuildCommand() *cobra.Command {
	var tables workFlags
	var plan, asJSON bool
	c := &cobra.Command{
		Use:   "build [flags]",
		Short: "Make the tables of a variant",
		Long: `Make the tables of a variant up to a number of pieces, one pair of materials after the other, on all cores.
Tables that are there stay. Ctrl-C, or a kill, loses the pair that is being made; the same command goes on.

It prints a line, with --json a JSON object, for each file, and one for all.

Exit code: 0 ok, 1 failure, 2 wrong usage (with too little --memory nothing is made), 4 a table that is there
is damaged or foreign, 130 interrupted.`,
		Example: `  egdb build --variant english --pieces 4
  egdb build --variant frisian --options kings=strict --pieces 3 --egdb tables
  egdb build --variant international --pieces 5 --memory 4GB
  egdb build --variant canadian --pieces 6 --plan`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			w, err := tables.prepare(false)
			if err != nil {
				return err
			}
			v, dir, pieces := w.variant, w.dir, tables.pieces
			if plan {
				return printPlan(c.OutOrStdout(), v, pieces, asJSON)
			}
			w.limitMemory()
			began := time.Now()
			sum := summaryJSON{Variant: v.String(), Dir: egdb.Folder(dir, v), Pieces: pieces}
			out := json.NewEncoder(c.OutOrStdout())
			bar := cli.NewProgress(c.ErrOrStderr(), v.Name)
			b := egdb.Builder{
				Variant:  v,
				Dir:      dir,
				Pieces:   pieces,
				Memory:   w.memory,
				Progress: bar.Set,
				Made: func(e egdb.Entry) {
					sum.Files++
					sum.Positions += e.Header.Positions
					sum.Bytes += e.Bytes
					sum.Longest = max(sum.Longest, e.Header.Longest)
					if asJSON {
						out.Encode(entryOf(e))
						return
					}
					fmt.Fprintln(c.OutOrStdout(), line(e))
				},
			}
			err = b.Build(c.Context())
			bar.Finish()
			if errors.Is(err, context.Canceled) {
				fmt.Fprintf(c.ErrOrStderr(), "stopped; %d files are written, the same command goes on\n", sum.Files)
			}
			if err != nil {
				return withCode(err)
			}
			sum.Seconds = time.Since(began).Seconds()
			if asJSON {
				return out.Encode(sum)
			}
			if sum.Files == 0 {
				fmt.Fprintf(c.OutOrStdout(), "all tables of %s up to %d pieces are in %s\n", v, pieces, sum.Dir)
				return nil
			}
			fmt.Fprintf(c.OutOrStdout(), "%s up to %d pieces: %d files, %d positions, %d bytes, longest win %d plies, %.1f s, in %s\n",
				v, pieces, sum.Files, sum.Positions, sum.Bytes, sum.Longest, sum.Seconds, sum.Dir)
			return nil
		},
	}
	tables.add(c, 4,
		fmt.Sprintf("largest number of pieces, of both sides together, 2 to %d", egdb.MaxPieces),
		"memory that tables may take while they are made")
	c.Flags().BoolVar(&plan, "plan", false, "print how many positions there are and how much memory they take, and make nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON objects, one a line")
	return c
}

// planJSON is a line of build --plan.
type planJSON struct {
	Variant   string `json:"variant"`
	Pieces    int    `json:"pieces"`    // exactly
	Positions uint64 `json:"positions"` // of them
	Memory    uint64 `json:"memory"`    // bytes needed to make the largest pair of tables
}

// printPlan prints the memory for the tables with up to the given number of pieces.
func printPlan(w io.Writer, v *rules.Variant, pieces int, asJSON bool) error {
	for n := 2; n <= pieces; n++ {
		positions, memory, err := egdb.Need(v, n)
		if err != nil {
			return err
		}
		if asJSON {
			if err := json.NewEncoder(w).Encode(planJSON{v.String(), n, positions, memory}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%d pieces: %d positions, %d MB of memory\n", n, positions, memory>>20+1)
	}
	return nil
}

func newVerifyCommand() *cobra.Command {
	var tables workFlags
	var quick, asJSON bool
	c := &cobra.Command{
		Use:   "verify [flags]",
		Short: "Check the tables of a variant",
		Long: `Read all tables of a variant and compare their checksums; then look at every position, play each of its legal
moves by the rules, and compare its value with those of the positions after them. If all agree, every value
is right.

Exit code: 0 all is right, 1 failure (there is no table), 2 wrong usage, 4 a damaged or foreign file or a
wrong value, 130 interrupted.`,
		Example: `  egdb verify --variant english
  egdb verify --variant international --pieces 3 --egdb tables
  egdb verify --variant russian --quick`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			w, err := tables.prepare(true)
			if err != nil {
				return err
			}
			v, dir := w.variant, w.dir
			w.limitMemory()
			began := time.Now()
			bar := cli.NewProgress(c.ErrOrStderr(), v.Name)
			r := egdb.Verifier{Variant: v, Dir: dir, Pieces: tables.pieces, Memory: w.memory, Quick: quick, Progress: bar.Set}
			n, err := r.Verify(c.Context())
			bar.Finish()
			if err != nil {
				return withCode(err)
			}
			sum := summaryJSON{
				Variant:   v.String(),
				Dir:       egdb.Folder(dir, v),
				Positions: uint64(n),
				Checked:   "moves",
				Seconds:   time.Since(began).Seconds(),
			}
			if quick {
				sum.Checked = "checksums"
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(sum)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %d positions are right (%s), %.1f s\n", v, n, sum.Checked, sum.Seconds)
			return nil
		},
	}
	tables.add(c, 0, "largest number of pieces; 0: all tables that exist", "memory that tables may take")
	c.Flags().BoolVar(&quick, "quick", false, "only read the files and compare their checksums")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// entryJSON is a file.
type entryJSON struct {
	File string `json:"file"`
	egdb.Header
	Values int    `json:"values"` // number of different values
	Bytes  int64  `json:"bytes"`
	Error  string `json:"error,omitempty"`
}

func entryOf(e egdb.Entry) entryJSON {
	j := entryJSON{File: e.File, Header: e.Header, Values: len(e.Header.Values), Bytes: e.Bytes}
	if e.Err != nil {
		j.Error = e.Err.Error()
	}
	return j
}

// line describes a file in one line.
func line(e egdb.Entry) string {
	if e.Err != nil {
		return e.Err.Error()
	}
	h := &e.Header
	return fmt.Sprintf("%-24s %12d positions %10d bytes  won %d drawn %d lost %d  longest %d plies",
		filepath.Join(filepath.Base(filepath.Dir(e.File)), h.Material), h.Positions, e.Bytes, h.Wins, h.Draws, h.Losses, h.Longest)
}

func newListCommand() *cobra.Command {
	var tables tableFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [flags]",
		Short: "Print which tables there are",
		Long: `Print a line, with --json a JSON object, for each table of all variants. Only the headers are read: see verify.

Exit code: 0 ok, 1 failure, 2 wrong usage, 4 a file that is damaged or no table.`,
		Example: `  egdb list
  egdb list --egdb tables --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := tables.folder()
			if err != nil {
				return err
			}
			entries, err := egdb.List(dir)
			if err != nil {
				return err
			}
			out := json.NewEncoder(c.OutOrStdout())
			var bad error
			for _, e := range entries {
				if asJSON {
					out.Encode(entryOf(e))
				} else {
					fmt.Fprintln(c.OutOrStdout(), line(e))
				}
				if e.Err != nil && bad == nil {
					bad = e.Err
				}
			}
			if len(entries) == 0 && !asJSON {
				fmt.Fprintf(c.OutOrStdout(), "no tables in %s\n", dir)
			}
			return withCode(bad)
		},
	}
	tables.addDir(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON objects, one a line")
	return c
}
