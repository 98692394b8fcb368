package play

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/notation"
	"damier/rules"
)

// moveJSON is a move in the output of moves. Squares are PDN numbers; if the players write
// coordinates, squares are numbered row by row from the top left.
type moveJSON struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Captured []int  `json:"captured"` // ascending
	Notation string `json:"notation"` // PDN

	Verdict *verdictJSON `json:"verdict,omitempty"` // nil without tables, or if they do not know
}

// verdictJSON is the verdict of endgame tables on a move.
type verdictJSON struct {
	Result string `json:"result"` // for the side that moves: "win", "draw" or "loss"; with regard to the draw counters if sure
	Plies  int    `json:"plies"`  // to the end of the game, including this move, without regard to draw counters; 0 if it is a draw then
	Sure   bool   `json:"sure"`   // false if a draw counter may still prevent the win
	Words  string `json:"words"`  // "wins in 12"
}

// movesJSON is the output of moves: the state after the given moves, and the legal moves.
type movesJSON struct {
	Moves  []moveJSON `json:"moves"`
	FEN    string     `json:"fen"`
	Ply    int        `json:"ply"`
	Result string     `json:"result"` // "*", "white", "black" or "draw"
	Reason string     `json:"reason"` // the rule that ended the game, or ""
}

func newMovesCommand() *cobra.Command {
	var game variantFlags
	var fen, moves, setting string
	c := &cobra.Command{
		Use:   "moves [flags]",
		Short: "Print the legal moves of a position as JSON",
		Long: `Play --moves from a position and print one JSON object: "moves", the legal moves then (from, to, captured,
notation), "fen", "ply" (the number of moves played), "result" (*, white, black or draw) and "reason", the
rule that ended the game. In a drawn game the moves that could be played are still listed.

Moves are written in PDN, short or long, or as Hub does, with blanks between them. Squares are PDN numbers,
which count from White's side in Spanish and Portuguese draughts; in Russian, Brazilian, Czech and Turkish
draughts they count row by row from the top left, and coordinates such as c3-d4 are read as well.

With --egdb on, or the folder of endgame tables, a move has a "verdict" where they know what it leads to, unless
the game is over: "result" (win, draw or loss) of the side that moves, "plies" to the end, "sure", false where a
draw counter may yet forbid the win, and "words", such as "wins in 12". Repetitions do not count.

Exit code: 0 ok, 1 failure, 2 wrong usage: an illegal position or move, 4 a damaged or foreign table.`,
		Example: `  play moves
  play moves --fen "W:W28,32,37:B23,19" --moves "28x19"
  play moves --variant russian --moves "c3-d4 f6-g5"
  play moves --variant english --fen "W:WK18,K19:BK1" --egdb on
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
			t, err := open.Tables(c.Context(), v, setting)
			if err != nil {
				return err
			}
			d := describe(g)
			if t != nil && !g.Over() {
				verdicts, err := t.Verdicts(c.Context(), g.Position(), 0)
				if err != nil {
					return err
				}
				d.judge(verdicts)
			}
			if err := json.NewEncoder(c.OutOrStdout()).Encode(d); err != nil {
				return fmt.Errorf("writing the moves: %w", err)
			}
			return nil
		},
	}
	game.define(c)
	c.Flags().StringVar(&fen, "fen", "", "position; the start of the variant when empty")
	c.Flags().StringVar(&moves, "moves", "", "moves to play first, with blanks between them")
	c.Flags().StringVar(&setting, "egdb", egdb.Off, "endgame tables that judge the moves: on, for yours and those of up to 3 pieces, off, or the folder of others")
	return c
}

// judge adds the verdicts of all moves, in their order.
func (d *movesJSON) judge(verdicts []egdb.Verdict) {
	for i, x := range verdicts {
		if x.Known {
			d.Moves[i].Verdict = &verdictJSON{Result: x.Result.String(), Plies: x.Plies, Sure: x.Sure, Words: x.String()}
		}
	}
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

// perft counts in its own goroutine, so that Ctrl-C need not wait for it.
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
