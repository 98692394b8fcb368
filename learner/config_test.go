package learner

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeFileT(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each source overrides the one before it, and every value records its source.
func TestResolveOrder(t *testing.T) {
	file := writeFileT(t, "c.toml", "[train]\nbatch = 96\n[value]\nmix = 0.3\nblunder = 0.7\n[selfplay]\nvisits = [\"0:6\", \"100:8\"]\n")
	r, err := Resolve(Sources{
		Method: toyMethod{}, Preset: "tiny", File: file,
		Env: []string{"HOME=/", "DAMIER_VALUE_MIX=0.4", "DAMIER_VALUE_BLUNDER=0.8", "DAMIER_OTHER_PROGRAM=1", "DAMIER_SELFPLAY_MCTS_C_PUCT=0.7"},
		Set: map[string]string{"value.blunder": "0.9", "evaluation.rungs": "random,alphabeta:nodes=500"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for k, v := range flatten(&r.Config) {
		got[k] = v.String() + " " + r.Origin[k]
	}
	for k, want := range map[string]string{
		"train.weight_decay":   "0.02 default",
		"train.batch":          "96 file " + file,
		"value.mix":            "0.4 environment DAMIER_VALUE_MIX",
		"value.blunder":        "0.9 flag",
		"net.width":            "32 preset tiny",
		"selfplay.mcts.root":   `"puct" network`,
		"selfplay.mcts.c_puct": "0.7 environment DAMIER_SELFPLAY_MCTS_C_PUCT",
		"selfplay.visits":      `["0:6", "100:8"] file ` + file,
		"evaluation.rungs":     `["random", "alphabeta:nodes=500"] flag`,
		"variant":              `"international" default`,
	} {
		if got[k] != want {
			t.Errorf("%s is %s, want %s", k, got[k], want)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		s    Sources
		want string
	}{
		{Sources{Method: toyMethod{}, Preset: "huge"}, `unknown preset "huge"; known are: tiny, smoke, quick, hour, day, week`},
		{Sources{Method: toyMethod{}, Set: map[string]string{"train.learning": "1"}}, `flag: unknown key "train.learning"; did you mean "train.learning_rate"?`},
		{Sources{Method: toyMethod{}, Set: map[string]string{"batch": "64"}}, `did you mean "train.batch"`},
		{Sources{Method: toyMethod{}, Set: map[string]string{"zzz": "64"}}, "`train config` lists the keys"},
		{Sources{Method: toyMethod{}, Set: map[string]string{"train.batch": "many"}}, `flag: train.batch: "many" is not a whole number`},
		{Sources{Method: toyMethod{}, Set: map[string]string{"seed": "-1"}}, `seed: "-1" is not a whole number from 0 on`},
		{Sources{Method: toyMethod{}, Set: map[string]string{"synchronous": "maybe"}}, `synchronous: "maybe" is neither true nor false`},
		{Sources{Method: toyMethod{}, Set: map[string]string{"minutes": "soon"}}, `minutes: "soon" is not a number`},
		{Sources{Method: toyMethod{}, Env: []string{"DAMIER_MINUTES=soon"}}, `environment DAMIER_MINUTES: minutes: "soon"`},
		{Sources{Method: toyMethod{}, File: "/nowhere/c.toml"}, "/nowhere/c.toml"},
		{Sources{Method: toyMethod{}, File: writeFileT(t, "a.toml", "minutes = 1\nseed = = 3\n")}, "a.toml, line 2: "},
		{Sources{Method: toyMethod{}, File: writeFileT(t, "b.toml", "[train]\nbatches = 64\n")}, `b.toml: unknown key "train.batches"; did you mean "train.batch"`},
		{Sources{Method: toyMethod{}, File: writeFileT(t, "c.toml", "[train]\nbatch = \"64\"\n")}, "train.batch"},
	} {
		_, err := Resolve(c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrSettings) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

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
		_, err := Resolve(Sources{Method: toyMethod{}, Set: set})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

// With every preset, a configuration that is written reads back the same.
func TestWriteTOML(t *testing.T) {
	for _, name := range PresetNames() {
		r, err := Resolve(Sources{Method: toyMethod{}, Preset: name, Set: map[string]string{"minutes": "2.5"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, origins := range []bool{false, true} {
			text := r.WriteTOML(origins)
			file := writeFileT(t, "c.toml", string(text))
			back, err := Resolve(Sources{Method: toyMethod{}, File: file})
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if d := cmp.Diff(r.Config, back.Config); d != "" {
				t.Errorf("%s: %s", name, d)
			}
			if back.Origin["train.batch"] != "file "+file {
				t.Errorf("origin %q", back.Origin["train.batch"])
			}
		}
		if !strings.Contains(string(r.WriteTOML(true)), "minutes = 2.5  # flag\n") {
			t.Error("the origin is not written")
		}
	}
}

func TestDifferences(t *testing.T) {
	run, asked := Default(), Default()
	asked.Minutes, asked.Generations, asked.Actors, asked.Refit.Passes = 5, 7, 3, 2
	asked.Evaluation.Every, asked.Evaluation.Rungs, asked.Limits.GamesGB = 1, nil, 3
	if d := Differences(run, asked); len(d) != 0 {
		t.Errorf("may change: %q", d)
	}
	v, err := run.Lookup()
	if err != nil {
		t.Fatal(err)
	}
	asked.Options = v.Options.String() // the defaults, spelt out
	if d := Differences(run, asked); len(d) != 0 {
		t.Errorf("say the same: %q", d)
	}
	asked.Seed, asked.Net.Width, asked.SelfPlay.Visits = 9, 64, []string{"0:8"}
	want := []string{
		"net.width: the run has 0, asked for is 64",
		"seed: the run has 1, asked for is 9",
		`selfplay.visits: the run has ["0:16", "65536:64"], asked for is ["0:8"]`,
	}
	if d := cmp.Diff(want, Differences(run, asked)); d != "" {
		t.Error(d)
	}
}

func TestAnnealing(t *testing.T) {
	byDefault, two, never := Generation{Annealing: []string{"0.5:0.33", "0.85:0.1"}}, Generation{Annealing: []string{"0.25:0.3", "0.9:0.03"}}, Generation{}
	for _, c := range []struct {
		g              Generation
		progress, want float64
	}{
		{byDefault, 0, 1}, {byDefault, 0.49, 1}, {byDefault, 0.5, 0.33}, {byDefault, 0.84, 0.33}, {byDefault, 0.85, 0.1}, {byDefault, 1, 0.1},
		{two, 0.24, 1}, {two, 0.25, 0.3}, {two, 0.89, 0.3}, {two, 0.95, 0.03}, {never, 1, 1},
	} {
		if got := c.g.annealing(c.progress); got != c.want {
			t.Errorf("%q at %g: %g, want %g", c.g.Annealing, c.progress, got, c.want)
		}
	}
}

// A run that begins with weights plays many games before it trains, and learns what their searches
// say, unless the settings say otherwise.
func TestSettingsWithWeights(t *testing.T) {
	plain, err := Resolve(Sources{Method: toyMethod{}})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Generation.Start != 0 || plain.Value.MixFrom != 1 {
		t.Errorf("from nothing: start %d, results alone before generation %d", plain.Generation.Start, plain.Value.MixFrom)
	}
	with, err := Resolve(Sources{Method: toyMethod{}, From: "a file"})
	if err != nil {
		t.Fatal(err)
	}
	if with.Generation.Start != refillGenerations*with.Generation.Rows || with.Value.MixFrom != 0 {
		t.Errorf("with weights: start %d, results alone before generation %d", with.Generation.Start, with.Value.MixFrom)
	}
	asked, err := Resolve(Sources{
		Method: toyMethod{}, From: "a file", Set: map[string]string{"generation.start": "7", "value.mix_from": "2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked.Generation.Start != 7 || asked.Value.MixFrom != 2 {
		t.Errorf("asked for 7 and 2: %d, %d", asked.Generation.Start, asked.Value.MixFrom)
	}
}

// A zero in the settings of the window stands for a default of package data, so the defaults here
// have none: every value that is shown is the value that applies.
func TestWindowDefaultsApply(t *testing.T) {
	w := reflect.ValueOf(Default().Window)
	for i := range w.NumField() {
		if w.Field(i).IsZero() {
			t.Errorf("window.%s is shown as 0", w.Type().Field(i).Name)
		}
	}
}

// The file of a run that wrote 0 for the default share of trees is read as what applied to it.
func TestTreeShareOfOldRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[window]\ntree_share = 0.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(Sources{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if want := Default().Window.TreeShare; r.Window.TreeShare != want {
		t.Errorf("tree_share is %g, want %g", r.Window.TreeShare, want)
	}
}
