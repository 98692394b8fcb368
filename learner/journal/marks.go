package journal

import (
	"fmt"

	"damier/rules"
)

// Mark is a rung of the ladder whose Elo is known.
type Mark struct {
	Name string  `json:"name"` // as a rung is described, "alphabeta:depth=2"
	Elo  float64 `json:"elo"`
}

// markDepths are the depths of the baseline with a known Elo.
var markDepths = [4]int{1, 2, 4, 6}

// Marks returns the rungs of a variant with a known Elo, weakest first; none if they were not
// measured. Depth 1 is 0 by definition. They were measured against each other; docs/ladder.md has
// the commands and games.
func Marks(variant string) []Mark {
	marks := []Mark{}
	v, err := rules.Lookup(variant, nil)
	if err != nil {
		return marks
	}
	for i, elo := range v.Tuning().Ladder {
		marks = append(marks, Mark{fmt.Sprintf("alphabeta:depth=%d", markDepths[i]), elo})
	}
	return marks
}
