package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A settings file that is too long, or is not a regular file, is refused.
func TestSettingsThatAreNone(t *testing.T) {
	dots := writeFile(t, "dots.toml", strings.Repeat("a.", 200_000)+"b = 1\n")
	if _, err := Resolve(widths{}, Sources{File: dots}); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "dots") {
		t.Errorf("dots: %v", err)
	}
	large := writeFile(t, "large.toml", strings.Repeat("# nothing\n", 200_000))
	if _, err := Resolve(widths{}, Sources{File: large}); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("large: %v", err)
	}
	if _, err := Resolve(widths{}, Sources{File: t.TempDir()}); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Resolve(widths{}, Sources{Set: map[string]string{"actors": "100000000"}}); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "4096") {
		t.Errorf("actors: %v", err)
	}
}

// Each source overrides the one before it, and every value records its source.
func TestResolveOrder(t *testing.T) {
	file := writeFile(t, "c.toml", "[train]\nbatch = 96\n[value]\nmix = 0.3\nblunder = 0.7\n[selfplay]\nvisits = [\"0:6\", \"100:8\"]\n")
	r, err := Resolve(widths{}, Sources{
		Preset: "tiny", File: file,
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
		{Sources{Preset: "huge"}, `unknown preset "huge"; known are: tiny, smoke, quick, hour, day, week`},
		{Sources{Set: map[string]string{"train.learning": "1"}}, `flag: unknown key "train.learning"; did you mean "train.learning_rate"?`},
		{Sources{Set: map[string]string{"batch": "64"}}, `did you mean "train.batch"`},
		{Sources{Set: map[string]string{"zzz": "64"}}, "`train config` lists the keys"},
		{Sources{Set: map[string]string{"train.batch": "many"}}, `flag: train.batch: "many" is not a whole number`},
		{Sources{Set: map[string]string{"seed": "-1"}}, `seed: "-1" is not a whole number from 0 on`},
		{Sources{Set: map[string]string{"synchronous": "maybe"}}, `synchronous: "maybe" is neither true nor false`},
		{Sources{Set: map[string]string{"minutes": "soon"}}, `minutes: "soon" is not a number`},
		{Sources{Env: []string{"DAMIER_MINUTES=soon"}}, `environment DAMIER_MINUTES: minutes: "soon"`},
		{Sources{File: "/nowhere/c.toml"}, "/nowhere/c.toml"},
		{Sources{File: writeFile(t, "a.toml", "minutes = 1\nseed = = 3\n")}, "a.toml, line 2: "},
		{Sources{File: writeFile(t, "b.toml", "[train]\nbatches = 64\n")}, `b.toml: unknown key "train.batches"; did you mean "train.batch"`},
		{Sources{File: writeFile(t, "c.toml", "[train]\nbatch = \"64\"\n")}, "train.batch"},
		{Sources{File: writeFile(t, "d.toml", "[selfplay.mcts]\ncontempt = 0.3\n")}, `d.toml: unknown key "selfplay.mcts.contempt"`},
		{Sources{File: writeFile(t, "e.toml", "[selfplay.mcts]\nforcing = \"\"\n")}, `e.toml: unknown key "selfplay.mcts.forcing"`},
	} {
		_, err := Resolve(widths{}, c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrSettings) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// Runs of earlier versions have keys that had no effect and are gone. They go on.
func TestRetiredKeys(t *testing.T) {
	file := writeFile(t, "old.toml", "minutes = 3.0\n[selfplay.mcts]\ncontempt = 0\nforcing = -1.0\nscout = 8\n")
	r, err := Resolve(widths{}, Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	if r.Minutes != 3 || r.SelfPlay.MCTS.Scout != 8 {
		t.Errorf("read %g minutes, scout %d", r.Minutes, r.SelfPlay.MCTS.Scout)
	}
}

// A run that begins with weights plays many games before it trains, and learns what their searches
// say, unless the settings say otherwise.
func TestSettingsWithWeights(t *testing.T) {
	plain, err := Resolve(widths{}, Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Generation.Start != 0 || plain.Value.MixFrom != 1 {
		t.Errorf("from nothing: start %d, results alone before generation %d", plain.Generation.Start, plain.Value.MixFrom)
	}
	with, err := Resolve(widths{}, Sources{From: "a file"})
	if err != nil {
		t.Fatal(err)
	}
	if with.Generation.Start != refillGenerations*with.Generation.Rows || with.Value.MixFrom != 0 {
		t.Errorf("with weights: start %d, results alone before generation %d", with.Generation.Start, with.Value.MixFrom)
	}
	asked, err := Resolve(widths{}, Sources{
		From: "a file", Set: map[string]string{"generation.start": "7", "value.mix_from": "2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked.Generation.Start != 7 || asked.Value.MixFrom != 2 {
		t.Errorf("asked for 7 and 2: %d, %d", asked.Generation.Start, asked.Value.MixFrom)
	}
}

// With every preset, a configuration that is written reads back the same.
func TestWriteTOML(t *testing.T) {
	for _, name := range PresetNames() {
		r, err := Resolve(widths{}, Sources{Preset: name, Set: map[string]string{"minutes": "2.5"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, origins := range []bool{false, true} {
			text := r.WriteTOML(origins)
			file := writeFile(t, "c.toml", string(text))
			back, err := Resolve(widths{}, Sources{File: file})
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

// The file of a run that wrote 0 for the default share of trees is read as what applied to it.
func TestTreeShareOfOldRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[window]\ntree_share = 0.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(nil, Sources{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if want := Default().Window.TreeShare; r.Window.TreeShare != want {
		t.Errorf("tree_share is %g, want %g", r.Window.TreeShare, want)
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
