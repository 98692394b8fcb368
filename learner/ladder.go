package learner

import (
	"fmt"
	"strconv"
	"strings"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/rules"
)

// ladderVersion is the frozen baseline that the rungs of the ladder play.
const ladderVersion = "alphabeta-1"

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

// rung is one opponent of the ladder.
type rung struct {
	spec   string
	random bool             // it plays at random
	limits alphabeta.Limits // of the baseline, if it is not random
	elo    float64
	rated  bool // elo is known
}

// parseRung reads a rung of a variant's ladder: random, or alphabeta limited by depth or nodes. It
// refuses a time limit, because a rung must have the same strength on every machine.
func parseRung(variant, spec string) (rung, error) {
	r := rung{spec: spec}
	kind, limits, limited := strings.Cut(spec, ":")
	switch {
	case spec == "random":
		r.random = true
	case kind != "alphabeta" && kind != ladderVersion:
		return rung{}, fmt.Errorf("%q: a rung is random or alphabeta, the baseline %s", spec, ladderVersion)
	case !limited:
		return rung{}, fmt.Errorf("%q: a rung is limited by depth or nodes, such as alphabeta:depth=4, for it must be as strong on every machine", spec)
	}
	for _, limit := range strings.Split(limits, ",") {
		if r.random {
			break
		}
		key, value, _ := strings.Cut(limit, "=")
		n, err := strconv.Atoi(value)
		switch {
		case key == "depth" && err == nil && n > 0:
			r.limits.Depth = n
		case key == "nodes" && err == nil && n > 0:
			r.limits.Nodes = uint64(n)
		default:
			return rung{}, fmt.Errorf("%q: %q is neither depth=N nor nodes=N; a rung must be as strong on every machine", spec, limit)
		}
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
		if r.random {
			return arena.NewRandom(0), nil
		}
		return engine.NewAlphaBetaPlayer(v, alphabeta.Config{Version: ladderVersion, TableBits: 16},
			engine.Limits{Depth: r.limits.Depth, Nodes: int64(r.limits.Nodes)})
	}
}
