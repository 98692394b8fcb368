package tactics

import (
	"context"
	"math/rand/v2"

	"damier/mcts"
	"damier/rules"
)

// MostVisits is how long a network is asked.
const MostVisits = 4096

// asked is a search for a tactic under way.
type asked struct {
	search *mcts.Search
	tactic *Tactic
	next   int // visits at which to look
	found  int // since when it prefers the move, -1 if it does not
	leaves int // of the last batch
}

// look notes what the search prefers.
func (a *asked) look() {
	r := a.search.Result()
	for ; a.next <= r.Simulations; a.next *= 2 {
		switch {
		case r.Moves[r.Best] != a.tactic.Line[0]:
			a.found = -1
		case a.found < 0:
			a.found = a.next
		}
	}
}

// AskVisits sets the visits of tactics of one variant: after how many (1, 2, 4 and so on to [MostVisits]) the search
// with that evaluator prefers the first move and goes on to prefer it, or -1. The search is that of the analysis, PUCT
// at the root without noise, leaf by leaf, so the answer is always the same; several go on at once.
func AskVisits(ctx context.Context, all []*Tactic, e mcts.Evaluator) error {
	const together = 16
	for ; len(all) > 0; all = all[min(together, len(all)):] {
		var asking []*asked
		for _, t := range all[:min(together, len(all))] {
			a := &asked{search: mcts.NewSearch(t.Variant, mcts.Config{Root: mcts.PUCT, MaxNodes: 2 * MostVisits}), tactic: t, next: 1, found: -1}
			a.search.Start(rules.NewGameFrom(t.Variant, t.Start), mcts.Budget{Simulations: MostVisits}, rand.New(rand.NewPCG(1, 2)))
			asking = append(asking, a)
		}
		var batch []mcts.Leaf
		for busy := true; busy; {
			busy, batch = false, batch[:0]
			for _, a := range asking {
				before := len(batch)
				if !a.search.Done() {
					batch = a.search.Gather(batch, 1)
					busy = true
				}
				a.leaves = len(batch) - before
			}
			if len(batch) > 0 {
				if err := e.Evaluate(ctx, batch); err != nil {
					return err
				}
			}
			rest := batch
			for _, a := range asking {
				if a.leaves > 0 {
					a.search.Backup(rest[:a.leaves])
					rest = rest[a.leaves:]
				}
				a.look()
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for _, a := range asking {
			a.tactic.Visits = a.found
		}
	}
	return nil
}
