package train

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"damier/data"
	"damier/internal/cli"
	"damier/learner"
	"damier/notation"
	"damier/rules"
)

// gameLine is a game as train games prints it.
type gameLine struct {
	ID         string `json:"id"`
	Variant    string `json:"variant"`
	Options    string `json:"options"`
	Generation int    `json:"generation"` // of the network that played
	Outcome    string `json:"outcome"`    // white, black or draw
	Reason     string `json:"reason"`

	Plies []plyLine `json:"plies"`
}

// plyLine is a position of a game and the move that was played there.
type plyLine struct {
	FEN   string   `json:"fen"`
	Move  string   `json:"move"`
	Score *float64 `json:"score"` // the search's, of the side to move, in [0,1]; null without a search
}

// gamesCommand returns the command that prints the recorded games of a run.
func (f *flags) gamesCommand() *cobra.Command {
	pdn := false
	c := &cobra.Command{
		Use:   "games",
		Short: "Print the recorded games of a run, as JSON or PDN, for other programs",
		Long: `Print the games of self-play that a run has kept, the oldest first: one JSON object a line, or PDN. An object
has "id", "variant", "options", "generation" (of the network that played), "outcome" (white, black or draw), "reason",
and "plies", each with "fen", "move" and "score": the expected score of the side to move that the search found, null
where there was none. The run is only read, also while it goes on. Everything else that is recorded is in the Parquet
files (docs/games.md).

Exit code: 0 all printed, 1 failure, 2 wrong usage, 4 no run or damaged games.`,
		Example: `  train games --run runs/international | python3 examples/python/run.py models/international.nnue
  train games --run runs/international | jq -r .outcome | sort | uniq -c
  train games --run runs/russian --pdn > games.pdn`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := learner.OpenView(f.dir(), method)
			if err != nil {
				return code(err)
			}
			out := bufio.NewWriter(os.Stdout)
			lines := json.NewEncoder(out)
			err = v.EachGame(func(g *data.Game) error {
				if err := c.Context().Err(); err != nil {
					return err
				}
				if !pdn {
					return lines.Encode(lineOf(v.Variant, g))
				}
				record, err := pdnOf(v, g)
				if err != nil {
					return err
				}
				return notation.Write(out, record)
			})
			return code(errors.Join(err, out.Flush()))
		},
	}
	c.Flags().BoolVar(&pdn, "pdn", false, "print PDN instead of JSON")
	return c
}

// lineOf returns a game of v in the form that is printed.
func lineOf(v *rules.Variant, g *data.Game) gameLine {
	line := gameLine{
		ID: g.ID, Variant: g.Variant, Options: g.Options, Generation: g.Generation,
		Outcome: g.Outcome.String(), Reason: string(g.Reason), Plies: []plyLine{},
	}
	for i := range g.Plies {
		p := &g.Plies[i]
		ply := plyLine{
			FEN: v.FEN(p.Position), Move: notation.FormatMove(v, p.Position, p.Moves[p.Played]),
		}
		if p.Root != (rules.WDL{}) {
			score := math.Round(float64(p.Root.Score())*1e4) / 1e4
			ply.Score = &score
		}
		line.Plies = append(line.Plies, ply)
	}
	return line
}

// pdnOf returns a game as PDN has it.
func pdnOf(run *learner.View, g *data.Game) (*notation.Game, error) {
	played := rules.NewGameFrom(run.Variant, g.Start)
	for i := range g.Plies {
		p := &g.Plies[i]
		if err := played.Play(p.Moves[p.Played]); err != nil {
			return nil, fmt.Errorf("game %s, ply %d: %w", g.ID, i, err)
		}
	}
	if played.End(g.Outcome, g.Reason); g.Outcome == rules.Ongoing {
		played.End(rules.Ongoing, rules.NoReason)
	}
	name := fmt.Sprintf("Damier, generation %d", g.Generation)
	return notation.NewGame(played, notation.Tags{
		{Name: "Event", Value: run.Name}, {Name: "Round", Value: g.ID},
		{Name: "White", Value: name}, {Name: "Black", Value: name},
		{Name: "WhiteType", Value: "program"}, {Name: "BlackType", Value: "program"},
	}), nil
}
