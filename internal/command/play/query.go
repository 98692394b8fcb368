package play

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/notation"
	"damier/rules"
)

// moveJSON is a move as moves prints it. Squares are PDN numbers; where the players write coordinates they are
// counted row by row from the top left.
type moveJSON struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Captured []int  `json:"captured"` // ascending
	Notation string `json:"notation"` // PDN
}

// movesJSON is what moves prints: the state after the moves given, and the legal moves there.
type movesJSON struct {
	Moves  []moveJSON `json:"moves"`
	FEN    string     `json:"fen"`
	Ply    int        `json:"ply"`
	Result string     `json:"result"` // "*", "white", "black" or "draw"
	Reason string     `json:"reason"` // the rule that ended the game, or ""
}

func newMovesCommand() *cobra.Command {
	var game variantFlags
	var fen, moves string
	c := &cobra.Command{
		Use:   "moves [flags]",
		Short: "Print the legal moves of a position as JSON",
		Long: `Play --moves from a position and print one JSON object: "moves", the legal moves then (from, to, captured,
notation), "fen", "ply" (the number of moves played), "result" (*, white, black or draw) and "reason", the
rule that ended the game. In a drawn game the moves that could be played are still listed.

Moves are written in PDN, short or long, or as Hub does, with blanks between them. Squares are PDN numbers,
which count from White's side in Spanish and Portuguese draughts; in Russian, Brazilian, Czech and Turkish
draughts they count row by row from the top left, and coordinates such as c3-d4 are read as well.

Exit code: 0 ok, 1 failure, 2 wrong usage: an illegal position or move.`,
		Example: `  play moves
  play moves --fen "W:W28,32,37:B23,19" --moves "28x19"
  play moves --variant russian --moves "c3-d4 f6-g5"
  play moves --fen "W:W35,36,K50:BK1,16,25" --moves "50-17 1-18 17-50 18-1 50-17 1-18 17-50 18-1"`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := game.lookup()
			if err != nil {
				return err
			}
			start, err := parseDiagram(v, fen)
			if err != nil {
				return err
			}
			g := rules.NewGameFrom(v, start)
			for i, text := range strings.Fields(moves) {
				if g.Over() {
					outcome, reason := g.Outcome()
					return cli.Usagef("--moves: move %d, %s: the game ended before it: %s, %s", i+1, text, outcome, reason)
				}
				m, err := notation.ParseMove(v, g.Position(), text)
				if err == nil {
					err = g.Play(m)
				}
				if err != nil {
					return cli.Usagef("--moves: move %d: %w", i+1, err)
				}
			}
			if err := json.NewEncoder(c.OutOrStdout()).Encode(describe(g)); err != nil {
				return fmt.Errorf("writing the moves: %w", err)
			}
			return nil
		},
	}
	game.define(c)
	c.Flags().StringVar(&fen, "fen", "", "position; the start of the variant when empty")
	c.Flags().StringVar(&moves, "moves", "", "moves to play first, with blanks between them")
	return c
}

func describe(g *rules.Game) movesJSON {
	v, p := g.Variant(), g.Position()
	outcome, reason := g.Outcome()
	d := movesJSON{Moves: []moveJSON{}, FEN: v.FEN(p), Ply: g.Ply(), Result: outcome.String(), Reason: string(reason)}
	for _, m := range g.Legal() {
		j := moveJSON{From: v.Number(m.From), To: v.Number(m.To), Captured: []int{}, Notation: notation.FormatMove(v, p, m)}
		for _, s := range v.Board.AppendSquares(nil, m.Captured()) {
			j.Captured = append(j.Captured, v.Number(s))
		}
		slices.Sort(j.Captured)
		d.Moves = append(d.Moves, j)
	}
	return d
}

// perftJSON is a line of perft.
type perftJSON struct {
	Depth   int     `json:"depth"`
	Leaves  uint64  `json:"leaves"`
	Seconds float64 `json:"seconds"`
}

func newPerftCommand() *cobra.Command {
	var game variantFlags
	var fen string
	var depth int
	c := &cobra.Command{
		Use:   "perft [flags]",
		Short: "Count the leaves of the move tree, one JSON line for each depth",
		Long: `Count the sequences of legal moves from a position, for every depth up to --depth, and print a JSON line
each: depth, leaves, seconds. Draw rules do not apply.

Exit code: 0 ok, 1 failure, 2 wrong usage, 130 stopped by Ctrl-C.`,
		Example: `  play perft --depth 8
  play perft --fen "W:W28,32,37:B23,19" --depth 10
  play perft --variant german --options landing=halt`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := game.lookup()
			if err != nil {
				return err
			}
			p, err := parseDiagram(v, fen)
			if err != nil {
				return err
			}
			if depth < 1 || depth > 30 {
				return cli.Usagef("--depth %d is not from 1 to 30", depth)
			}
			out := json.NewEncoder(c.OutOrStdout())
			for d := 1; d <= depth; d++ {
				began := time.Now()
				leaves, err := perft(c.Context(), v, p, d)
				if err != nil {
					return err
				}
				if err := out.Encode(perftJSON{d, leaves, time.Since(began).Seconds()}); err != nil {
					return fmt.Errorf("writing the counts: %w", err)
				}
			}
			return nil
		},
	}
	game.define(c)
	c.Flags().StringVar(&fen, "fen", "", "position; the start of the variant when empty")
	c.Flags().IntVar(&depth, "depth", 6, "deepest count, in plies")
	return c
}

// perft counts on a goroutine of its own, so that Ctrl-C need not wait for it.
func perft(ctx context.Context, v *rules.Variant, p rules.Position, depth int) (uint64, error) {
	leaves := make(chan uint64, 1)
	go func() { leaves <- v.Perft(p, depth) }()
	select {
	case n := <-leaves:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
