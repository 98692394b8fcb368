package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// Baseline is the frozen baseline that the rungs of the ladder play.
const Baseline = "alphabeta-1"

// Rung is one opponent of the ladder, as evaluation.rungs names it.
type Rung struct {
	Spec   string // as it was written, "alphabeta:depth=4"
	Random bool   // it plays at random
	Depth  int    // of the baseline, in plies; 0 means no limit
	Nodes  uint64 // of the baseline, for a move; 0 means no limit
}

// ParseRung reads a rung: random, or alphabeta limited by depth or nodes. It refuses a time limit,
// because a rung must have the same strength on every machine.
func ParseRung(spec string) (Rung, error) {
	if spec == "random" {
		return Rung{Spec: spec, Random: true}, nil
	}
	kind, limits, limited := strings.Cut(spec, ":")
	switch {
	case kind != "alphabeta" && kind != Baseline:
		return Rung{}, fmt.Errorf("%q: a rung is random or alphabeta, the baseline %s", spec, Baseline)
	case !limited:
		return Rung{}, fmt.Errorf("%q: a rung is limited by depth or nodes, such as alphabeta:depth=4, for it must be as strong on every machine", spec)
	}
	r := Rung{Spec: spec}
	for _, limit := range strings.Split(limits, ",") {
		key, value, _ := strings.Cut(limit, "=")
		n, err := strconv.Atoi(value)
		switch {
		case key == "depth" && err == nil && n > 0:
			r.Depth = n
		case key == "nodes" && err == nil && n > 0:
			r.Nodes = uint64(n)
		default:
			return Rung{}, fmt.Errorf("%q: %q is neither depth=N nor nodes=N; a rung must be as strong on every machine", spec, limit)
		}
	}
	return r, nil
}
