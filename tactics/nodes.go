package tactics

import (
	"context"
	"math"

	"damier/engine"
	"damier/rules"
)

// MostNodes is the number of positions after which a search for [Tactic.Nodes] ends.
const MostNodes = 1 << 18

// AskNodes sets the Nodes of tactics: the positions that the baseline alpha-beta has visited at the
// end of the first iteration from which on it always prefers the first move; -1 if it does not
// within [MostNodes]. The search runs on one core, so the answer is always the same.
func AskNodes(ctx context.Context, all []*Tactic) error {
	for _, t := range all {
		e, err := engine.NewBaseline(t.Variant, 16)
		if err != nil {
			return err
		}
		found := -1
		g := rules.NewGameFrom(t.Variant, t.Start)
		l := engine.Limits{Depth: 2 * len(t.Line), Nodes: MostNodes, Analyze: true}
		_, err = e.Think(ctx, g, l, func(i engine.Thought) {
			switch {
			case i.Move != t.Line[0]:
				found = -1
			case found < 0:
				found = int(i.Nodes)
			}
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		t.Nodes = found
	}
	return nil
}

// Bounds and scale of the ratings of tactics.
const (
	leastRating    = 800 // of a tactic that takes leastNodes or fewer
	leastNodes     = 16
	ratingDoubling = 100  // points that each doubling of the nodes adds
	unseenRating   = 2300 // of a tactic that is not found within MostNodes
	middleRating   = 1100 // of a tactic whose nodes are not known
)

// Rating returns the difficulty of the tactic on the scale of Elo ratings, from the positions that
// the baseline alpha-beta needs to find it: 800 for 16 of them, and 100 points more for each
// doubling, because that is about what a doubling is worth to it in games.
func (t *Tactic) Rating() int {
	switch {
	case t.Nodes == 0:
		return middleRating
	case t.Nodes < 0:
		return unseenRating
	}
	doublings := math.Log2(math.Max(float64(t.Nodes)/leastNodes, 1))
	return min(leastRating+int(math.Round(ratingDoubling*doublings)), unseenRating)
}
