package learner

import (
	"fmt"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/learner/settings"
	"damier/rules"
)

// mark is a rung whose Elo is known.
type mark struct {
	name string
	elo  float64
}

// ladderMarks returns the rungs of a variant with a known Elo, weakest first; none if they were
// not measured. Depth 1 is 0 by definition. They were measured against each other; docs/ladder.md
// has the commands and games.
func ladderMarks(variant string) []mark {
	var marks []mark
	v, err := rules.Lookup(variant, nil)
	if err != nil {
		return nil
	}
	for i, elo := range v.Tuning().Ladder {
		marks = append(marks, mark{fmt.Sprintf("alphabeta:depth=%d", ladderDepths[i]), elo})
	}
	return marks
}

// ladderDepths are the depths of the baseline with a known Elo.
var ladderDepths = [4]int{1, 2, 4, 6}

// rung is one opponent of the ladder, with its Elo.
type rung struct {
	settings.Rung
	spec  string
	elo   float64
	rated bool // elo is known
}

// parseRung reads a rung of a variant's ladder, as [settings.ParseRung] does.
func parseRung(variant, spec string) (rung, error) {
	parsed, err := settings.ParseRung(spec)
	if err != nil {
		return rung{}, err
	}
	r := rung{Rung: parsed, spec: spec}
	for _, m := range ladderMarks(variant) {
		if m.name == spec {
			r.elo, r.rated = m.elo, true
		}
	}
	return r, nil
}

// factory makes players of the rung.
func (r rung) factory(v *rules.Variant) arena.Factory {
	return func() (arena.Player, error) {
		if r.Random {
			return arena.NewRandom(0), nil
		}
		return engine.NewAlphaBetaPlayer(v, alphabeta.Config{Version: settings.Baseline, TableBits: 16},
			engine.Limits{Depth: r.Depth, Nodes: int64(r.Nodes)})
	}
}
