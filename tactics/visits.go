package tactics

import (
	"context"

	"damier/engine"
	"damier/rules"
)

// MostVisits is the largest number of visits for which a network is asked.
const MostVisits = 4096

// AskVisits sets the Visits of tactics of one variant: the smallest number (1, 2, 4 and so on up
// to [MostVisits]) from which on a search by e always prefers the first move, or -1. The engine
// must count visits and be repeatable, so that the answer is always the same.
func AskVisits(ctx context.Context, all []*Tactic, e engine.Engine) error {
	for _, t := range all {
		found := -1
		for visits := 1; visits <= MostVisits; visits *= 2 {
			e.NewGame()
			g := rules.NewGameFrom(t.Variant, t.Start)
			thought, err := e.Think(ctx, g, engine.Limits{Nodes: int64(visits), Analyze: true}, nil)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			switch {
			case thought.Move != t.Line[0]:
				found = -1
			case found < 0:
				found = visits
			}
		}
		t.Visits = found
	}
	return nil
}
