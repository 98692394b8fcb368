package learner

import (
	"fmt"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/engine/open"
	"damier/rules"
)

// ladderVersion is the frozen baseline that the ladder is built of.
const ladderVersion = "alphabeta-1"

// mark is a rung whose Elo is known.
type mark struct {
	name string
	elo  float64
}

// ladderMarks returns the rungs of a variant with a known Elo, weakest first; none if nobody has measured them. Depth 1
// is 0 by definition. They were measured against each other, the commands and games are in docs/ladder.md.
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

// ladderDepths are the depths of the baseline that have an Elo.
var ladderDepths = [4]int{1, 2, 4, 6}

// rung is one opponent of the ladder.
type rung struct {
	spec   string
	parsed open.Spec
	elo    float64
	rated  bool // elo is known
}

// parseRung reads a rung of a variant's ladder: random, or alphabeta limited by depth or nodes. Time is refused: a rung must be as
// strong on every machine.
func parseRung(variant, spec string) (rung, error) {
	s, err := open.ParseSpec(spec)
	if err != nil {
		return rung{}, err
	}
	r := rung{spec: spec, parsed: s}
	switch s.Kind {
	case open.Random:
	case open.AlphaBeta:
		if s.Version != "" && s.Version != ladderVersion {
			return rung{}, fmt.Errorf("%q: a rung is %s, the baseline of the ladder", spec, ladderVersion)
		}
		if s.Time > 0 || s.Depth == 0 && s.Nodes == 0 {
			return rung{}, fmt.Errorf("%q: a rung is limited by depth or nodes, such as alphabeta:depth=4, for it must be as strong on every machine", spec)
		}
	default:
		return rung{}, fmt.Errorf("%q: a rung is random or alphabeta", spec)
	}
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
		if r.parsed.Kind == open.Random {
			return arena.NewRandom(0), nil
		}
		return engine.NewAlphaBetaPlayer(v, alphabeta.Config{Version: ladderVersion, TableBits: 16},
			engine.Limits{Depth: r.parsed.Depth, Nodes: int64(r.parsed.Nodes)})
	}
}
