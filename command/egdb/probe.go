package egdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"damier/egdb"
	"damier/internal/cli"
	"damier/rules"
)

// probeJSON is the output of probe.
type probeJSON struct {
	Variant string     `json:"variant"`
	FEN     string     `json:"fen"`
	Result  string     `json:"result"`          // "win", "draw" or "loss", for the side to move
	Plies   int        `json:"plies"`           // to the end of the game, 0 for a draw
	InPlay  string     `json:"in_play"`         // the result with regard to the draw counters; "unknown" if the search gave up
	Source  string     `json:"source"`          // "files", or "memory" if the tables were made for this call
	Moves   []moveJSON `json:"moves,omitempty"` // with --moves
}

// moveJSON is a legal move and its result for the side that makes it.
type moveJSON struct {
	Notation string `json:"notation"`
	Result   string `json:"result"`
	Plies    int    `json:"plies"` // from the position, including this move
}

func newProbeCommand() *cobra.Command {
	var tables tableFlags
	var fen string
	var moves, asJSON bool
	c := &cobra.Command{
		Use:   "probe --fen FEN [flags]",
		Short: "Ask the tables for a position",
		Long: `Print the result for the side to move under perfect play, and the number of plies to the end of the game.
Without a file for the position, tables of up to 3 pieces are made in memory now.

The result is that of the position with its draw counters at zero, and repetition does not count. "In play" says
what a counter leaves of it: a FEN has at most the half-move clock, as in W:WK1,K2:BK32:H70.

Exit code: 0 ok, 1 failure (no table has the position), 2 wrong usage, 4 a damaged or foreign file.`,
		Example: `  egdb probe --variant english --fen "W:WK1,K2:BK32"
  egdb probe --variant russian --fen "W:Wc3,Ka1:BKh8" --moves
  egdb probe --variant frisian --fen "W:W30,K40:BK10:+0+240" --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := tables.Lookup()
			if err != nil {
				return err
			}
			if fen == "" {
				return cli.Usagef("give the position with --fen")
			}
			p, err := rules.ParseFEN(v, fen)
			if err != nil {
				return cli.Usagef("--fen: %w", err)
			}
			dir, err := tables.folder()
			if err != nil {
				return err
			}
			t, source, err := tablesFor(c.Context(), dir, v, p)
			if err != nil {
				return withCode(err)
			}
			defer t.Close()
			result, err := ask(t, p, moves)
			if err != nil {
				return withCode(err)
			}
			result.Source = source
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(result)
			}
			print(c.OutOrStdout(), result)
			return nil
		},
	}
	tables.add(c)
	c.Flags().StringVar(&fen, "fen", "", "the position (required)")
	c.Flags().BoolVar(&moves, "moves", false, "also print what each legal move leads to, the best first")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// tablesFor returns tables that know p: from files, or for few pieces made now. The text says
// which.
func tablesFor(ctx context.Context, dir string, v *rules.Variant, p rules.Position) (*egdb.Tables, string, error) {
	t, err := egdb.Open(dir, v, 0)
	switch {
	case err == nil:
		_, _, ok := t.Probe(p)
		damage := t.Err()
		if ok {
			return t, "files", nil
		}
		t.Close()
		if damage != nil {
			return nil, "", damage
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, "", err
	}
	if n := p.Pieces(rules.White).Len() + p.Pieces(rules.Black).Len(); n > egdb.MemoryPieces {
		return nil, "", fmt.Errorf("no table in %s has the position, of %d pieces; build them: egdb build --variant %s --pieces %d",
			egdb.Folder(dir, v), n, v.Name, n)
	}
	t, err = egdb.Load(ctx, dir, v, 0)
	return t, "memory", err
}

// ask returns the answer of the tables for p.
func ask(t *egdb.Tables, p rules.Position, moves bool) (probeJSON, error) {
	v := t.Variant()
	unknown := func(p rules.Position) error {
		if err := t.Err(); err != nil {
			return err
		}
		return fmt.Errorf("the tables do not have %s", v.FEN(p))
	}
	result, plies, ok := t.Probe(p)
	if !ok {
		return probeJSON{}, unknown(p)
	}
	j := probeJSON{Variant: v.String(), FEN: v.FEN(p), Result: result.String(), Plies: plies, InPlay: "unknown"}
	if r, ok := t.InPlay(p, 0); ok {
		j.InPlay = r.String()
	}
	if !moves {
		return j, nil
	}
	for _, o := range t.Moves(p) {
		if !o.Known {
			return j, unknown(v.Play(p, o.Move))
		}
		j.Moves = append(j.Moves, moveJSON{v.FormatMove(o.Move), o.Result.String(), o.Plies})
	}
	return j, nil
}

// verdict says a result in words.
func verdict(result string, plies int) string {
	switch {
	case result == egdb.Draw.String():
		return "draw"
	case plies == 0:
		return result + ", the game is over"
	}
	return fmt.Sprintf("%s in %d plies", result, plies)
}

func print(w io.Writer, j probeJSON) {
	fmt.Fprintf(w, "%s\n", verdict(j.Result, j.Plies))
	if j.InPlay != j.Result {
		fmt.Fprintf(w, "in play, by its draw counters: %s\n", j.InPlay)
	}
	for _, m := range j.Moves {
		fmt.Fprintf(w, "  %-12s %s\n", m.Notation, verdict(m.Result, m.Plies))
	}
}
