package settings

import (
	"strings"
	"testing"
)

// A contradictory configuration is refused, and the error names the key.
func TestValidate(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"variant=chess", "variant: unknown variant"},
		{"options=draws=never", "variant: "},
		{"generation.rows=0", "generation.rows is 0"},
		{"generation.games=-1", "generation.games is -1"},
		{"generation.passes=0", "generation.passes is 0"},
		{"generation.passes=NaN", "generation.passes is NaN;"},
		{"minutes=Inf", "minutes is "},
		{"minutes=-1", "minutes is -1"},
		{"generations=-1", "generations is -1"},
		{"generation.start=30000000", "above window.cap"},
		{"actors=-1", "actors is -1"},
		{"synchronous=true actors=2", "synchronous runs have one actor"},
		{"value.mix=1.1", "value.mix is 1.1"},
		{"value.blunder=-0.1", "value.blunder is -0.1"},
		{"value.least_visits=1.1", "value.least_visits is 1.1"},
		{"evaluation.gate=1", "evaluation.gate is 1"},
		{"evaluation.games=5", "evaluation.games is 5; it must be even"},
		{"evaluation.gate_games=5", "evaluation.gate_games is 5; it must be even"},
		{"evaluation.visits=0", "evaluation.visits is 0"},
		{"evaluation.rungs=alphabeta", `"alphabeta": a rung is limited by depth or nodes`},
		{"evaluation.rungs=alphabeta:time=1s", "as strong on every machine"},
		{"evaluation.rungs=model:x", "a rung is random or alphabeta"},
		{"evaluation.rungs=genius", "a rung is random or alphabeta"},
		{"limits.games_gb=0", "limits.games_gb is 0"},
		{"limits.shard_period=0", "limits.shard_period is 0"},
		{"selfplay.visits=0", `selfplay.visits: "0" is not rows:visits`},
		{"selfplay.visits=5:32", "begins at 5 rows"},
		{"selfplay.search=best", `selfplay.search is "best"; it must be tree or alphabeta`},
		{"selfplay.depth=0", "selfplay.depth is 0, which would stand for its default, 3"},
		{"refit.games=5", "refit.games is 5; it must be even"},
		{"refit.passes=-1", "refit.passes is -1"},
		{"generation.annealing=0.5", `"0.5" is not share:factor`},
		{"generation.annealing=0.5:x", `"0.5:x" is not share:factor`},
		{"generation.annealing=0.5:0.3,0.4:0.1", "0.4:0.1: shares of the run must lie between 0 and 1 and ascend"},
		{"generation.annealing=0:0.3", "must lie between 0 and 1"},
		{"generation.annealing=NaN:0.3", "must lie between 0 and 1"},
		{"generation.annealing=0.5:0", "a factor must be above 0"},
		{"generation.annealing=0.5:NaN", "a factor must be above 0"},
		{"selfplay.opening_share=2", "selfplay.opening_share is 2"},
		{"selfplay.mcts.root=best", `selfplay.mcts.root is "best"`},
		{"train.batch=0", "train.batch is 0"},
		{"train.batch=2000000", "train.batch is 2000000"},
		{"train.learning_rate=2", "train.learning_rate is 2"},
		{"train.learning_rate=0", "train.learning_rate is 0"},
		{"net.width=33", "net.width is 33; it must be a multiple of 32"},
		{"window.cap=10", "window.cap is 10, below window.min_rows"},
		{"window.exponent=2", "window.exponent is 2"},
	} {
		set := map[string]string{"generation.start": "10"}
		for _, kv := range strings.Fields(c.set) {
			k, v, _ := strings.Cut(kv, "=")
			set[k] = v
		}
		if strings.HasPrefix(c.set, "evaluation.rungs=") {
			set["evaluation.rungs"] = strings.TrimPrefix(c.set, "evaluation.rungs=")
		}
		if strings.HasPrefix(c.set, "options=") {
			set["options"] = strings.TrimPrefix(c.set, "options=")
		}
		_, err := Resolve(widths{}, Sources{Set: set})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}
