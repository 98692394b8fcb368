package settings

import (
	"fmt"
	"slices"
	"strings"

	"damier/data"
	"damier/mcts"
	"damier/selfplay"
)

// Preset is a named set of values for a run of a certain length.
type Preset struct {
	Name    string
	Summary string // its purpose, in one line
	Values  map[string]string
}

// Presets returns the presets, shortest run first. Each is a set of differences from the defaults,
// which are for a run of an hour.
func Presets() []Preset {
	return []Preset{
		{"tiny", "a few seconds, for tests: the whole loop on a very small network", map[string]string{
			"minutes": "0", "generations": "2",
			"generation.rows": "64", "generation.games": "8", "generation.start": "32", "generation.passes": "2",
			"selfplay.visits": "0:4", "selfplay.tree_rows": "2", "selfplay.max_plies": "80",
			"net.width": "32", "train.batch": "32",
			"window.min_rows":  "1000",
			"refit.passes":     "0",
			"refit.width":      "0",
			"evaluation.games": "2", "evaluation.visits": "4", "evaluation.rungs": "random",
			"evaluation.every": "0", "evaluation.gate_games": "0",
		}},
		{"smoke", "two minutes: see that it learns on this machine", map[string]string{
			"minutes": "2", "evaluation.games": "40", "evaluation.every": "0", "evaluation.gate_games": "0",
			"refit.passes": "3", "refit.width": "0", "refit.games": "40",
		}},
		{"quick", "ten minutes: a first opponent, in any variant", map[string]string{
			"minutes": "10", "evaluation.every": "3", "evaluation.games": "40", "evaluation.gate_games": "100",
			"refit.passes": "3", "refit.width": "0",
		}},
		{"hour", "one hour", map[string]string{}},
		{"day", "a day", map[string]string{
			"minutes": "1440", "evaluation.every": "20", "evaluation.games": "200", "evaluation.gate_games": "400", "refit.games": "200",
		}},
		{"week", "a week", map[string]string{
			"minutes": "10080", "evaluation.every": "60", "evaluation.games": "400", "evaluation.gate_games": "1000", "refit.games": "200",
		}},
	}
}

// Default returns the default values for the board of international draughts. It leaves out values
// that depend on the network; [Resolve] gets these from the [Method].
func Default() Config {
	return Config{
		Variant: "international",
		Seed:    1,
		Minutes: 60,
		Generation: Generation{
			Rows: 32_768, Games: 64, Passes: 9, Annealing: []string{}, Falling: true,
		},
		SelfPlay: selfplay.Config{MCTS: mcts.Config{}.WithDefaults()}.WithDefaults(),
		Train:    Train{Batch: 1024, LearningRate: 0.001, WeightDecay: 0.02, Mirror: true},
		Window:   data.WindowConfig{MinRows: 131_072, Exponent: 1, Growth: 0.4, Cap: 17_000_000, TreeShare: 0.1},
		Value:    Value{Mix: 0.8, MixFrom: 1, LeastVisits: 0.2},
		Refit:    Refit{Passes: 6, Width: 256, Games: 100},
		Evaluation: Evaluation{
			Every: 10, Games: 100, Visits: 200,
			Rungs:     []string{"alphabeta:depth=2", "alphabeta:depth=4", "alphabeta:depth=6"},
			GateGames: 200,
		},
		Limits: Limits{GamesGB: 10, KeepModels: 5, ShardPeriod: 10},
	}
}

// PresetNames returns the names of the presets, shortest run first.
func PresetNames() []string {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	return names
}

func preset(name string) (Preset, error) {
	i := slices.IndexFunc(Presets(), func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, fmt.Errorf("unknown preset %q; known are: %s", name, strings.Join(PresetNames(), ", "))
	}
	return Presets()[i], nil
}
