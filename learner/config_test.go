package learner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/net"
)

func writeFileT(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each source is stronger than the one before, and every value knows where it comes from.
func TestResolveOrder(t *testing.T) {
	file := writeFileT(t, "c.toml", "[train]\nbatch = 96\nclip = 3\nwarmup = 7\n[generation]\nstages = [\"0:6/3\", \"100:8/4\"]\n")
	r, err := Resolve(Sources{
		Preset: "tiny", File: file,
		Env: []string{"HOME=/", "DAMIER_TRAIN_CLIP=4", "DAMIER_TRAIN_WARMUP=8", "DAMIER_OTHER_PROGRAM=1", "DAMIER_SELFPLAY_SEARCH_C_PUCT=0.7"},
		Set: map[string]string{"train.warmup": "9", "evaluation.rungs": "random,alphabeta:nodes=500"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for k, v := range flatten(&r.Config) {
		got[k] = v.String() + " " + r.Origin[k]
	}
	for k, want := range map[string]string{
		"train.weight_decay":     "0.02 network nnue",
		"train.batch":            "96 file " + file,
		"train.clip":             "4.0 environment DAMIER_TRAIN_CLIP",
		"train.warmup":           "9 flag",
		"net.width":              "32 preset tiny",
		"selfplay.search.c_puct": "0.7 environment DAMIER_SELFPLAY_SEARCH_C_PUCT",
		"generation.stages":      `["0:6/3", "100:8/4"] file ` + file,
		"evaluation.rungs":       `["random", "alphabeta:nodes=500"] flag`,
		"selfplay.full_visits":   "6 file " + file, // follows the first stage
		"selfplay.cheap_visits":  "3 file " + file,
		"variant":                `"international" default`,
	} {
		if got[k] != want {
			t.Errorf("%s is %s, want %s", k, got[k], want)
		}
	}
	if s := r.stage(99); s.FullVisits != 6 || s.CheapVisits != 3 {
		t.Errorf("stage at 99 rows: %+v", s)
	}
	if s := r.stage(100); s.FullVisits != 8 || s.CheapVisits != 4 {
		t.Errorf("stage at 100 rows: %+v", s)
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
		{Sources{File: writeFileT(t, "a.toml", "minutes = 1\nseed = = 3\n")}, "a.toml, line 2: "},
		{Sources{File: writeFileT(t, "b.toml", "[train]\nbatches = 64\n")}, `b.toml: unknown key "train.batches"; did you mean "train.batch"`},
		{Sources{File: writeFileT(t, "c.toml", "[train]\nbatch = \"64\"\n")}, "train.batch"},
	} {
		_, err := Resolve(c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrSettings) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// What contradicts itself is refused, by the name of the key.
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
		{"evaluation.gate=1", "evaluation.gate is 1"},
		{"evaluation.games=5", "evaluation.games is 5; it must be even"},
		{"evaluation.gate_games=5", "evaluation.gate_games is 5; it must be even"},
		{"evaluation.visits=0", "evaluation.visits is 0"},
		{"evaluation.rungs=alphabeta", `"alphabeta": a rung is limited by depth or nodes`},
		{"evaluation.rungs=alphabeta:time=1s", "as strong on every machine"},
		{"evaluation.rungs=model:x", "a rung is random or alphabeta"},
		{"evaluation.rungs=genius", `player "genius" is not known`},
		{"limits.games_gb=0", "limits.games_gb is 0"},
		{"limits.shard_period=0", "limits.shard_period is 0"},
		{"generation.stages=", "generation.stages is empty"},
		{"generation.stages=0:32", `"0:32" is not rows:full/cheap`},
		{"generation.stages=0:32/8x", "is not rows:full/cheap"},
		{"generation.stages=5:32/8", "begins at 5 rows"},
		{"generation.stages=0:32/8,0:64/8", "0:64/8 does not come after"},
		{"generation.stages=0:8/32", "no more than a full one"},
		{"generation.annealing=0.5", `"0.5" is not share:factor`},
		{"generation.annealing=0.5:x", `"0.5:x" is not share:factor`},
		{"generation.annealing=0.5:0.3,0.4:0.1", "0.4:0.1: shares of the run must lie between 0 and 1 and ascend"},
		{"generation.annealing=0:0.3", "must lie between 0 and 1"},
		{"generation.annealing=NaN:0.3", "must lie between 0 and 1"},
		{"generation.annealing=0.5:0", "a factor must be above 0"},
		{"generation.annealing=0.5:NaN", "a factor must be above 0"},
		{"selfplay.cheap_visits=64", "selfplay.cheap_visits is 64 and full_visits 32"},
		{"selfplay.full_visits=64", "selfplay.full_visits is 64 (flag), but generation.stages"},
		{"selfplay.full_share=0", "selfplay.full_share is 0, which would stand for its default, 0.25"},
		{"selfplay.opening_share=2", "selfplay.opening_share is 2"},
		{"selfplay.search.root=best", `selfplay.search.root is "best"`},
		{"train.clip=0", "train.clip is 0, which would stand for its default, 5"},
		{"train.batch=33", "train.batch 33: want a multiple of 32"},
		{"train.learning_rate=2", "train.learning_rate 2"},
		{"net.width=33", "net.width 33: want a multiple of 32"},
		{"net.arch=lattice net.channels=9", "net.channels 9: want a multiple of 8"},
		{"net.arch=transformer", `net.arch "transformer" is unknown`},
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
		_, err := Resolve(Sources{Set: set})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
	// Both keys together say the same.
	if _, err := Resolve(Sources{Set: map[string]string{"selfplay.full_visits": "64", "selfplay.cheap_visits": "16", "generation.stages": "0:64/16"}}); err != nil {
		t.Error(err)
	}
}

// A configuration that is written down reads back the same, with every preset.
func TestWriteTOML(t *testing.T) {
	for _, name := range PresetNames() {
		r, err := Resolve(Sources{Preset: name, Set: map[string]string{"minutes": "2.5"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, origins := range []bool{false, true} {
			text := r.WriteTOML(origins)
			file := writeFileT(t, "c.toml", string(text))
			back, err := Resolve(Sources{File: file})
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
	run.Net.Arch, asked.Net.Arch = net.Lattice, net.Lattice
	asked.Minutes, asked.Generations, asked.Actors, asked.Train.Threads = 5, 7, 3, 2
	asked.Evaluation.Every, asked.Evaluation.Rungs, asked.Limits.GamesGB = 1, nil, 3
	if d := Differences(run, asked); len(d) != 0 {
		t.Errorf("may change: %q", d)
	}
	v, err := run.Lookup()
	if err != nil {
		t.Fatal(err)
	}
	asked.Options = v.Options.String() // the defaults, spelt out
	asked.Net.GlobalPool = run.Net.Resolve().GlobalPool
	if d := Differences(run, asked); len(d) != 0 {
		t.Errorf("say the same: %q", d)
	}
	asked.Seed, asked.Net.Channels, asked.Generation.Stages = 9, 64, []string{"0:8/2"}
	want := []string{
		`generation.stages: the run has ["0:32/8", "150000:64/16", "500000:128/32"], asked for is ["0:8/2"]`,
		"net.channels: the run has 48, asked for is 64",
		"seed: the run has 1, asked for is 9",
	}
	if d := cmp.Diff(want, Differences(run, asked)); d != "" {
		t.Error(d)
	}
}

func TestAnnealing(t *testing.T) {
	byDefault, two, never := Default().Generation, Generation{Annealing: []string{"0.25:0.3", "0.9:0.03"}}, Generation{}
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

// What depends on the variant takes its value by default, and gives way to what is asked for.
func TestResolveVariant(t *testing.T) {
	for _, c := range []struct {
		set      map[string]string
		contempt float64
		rate     float64
		simple   int
		forcing  int
	}{
		{map[string]string{"variant": "turkish"}, 0.3, 0.006, 57_344, 4},
		{map[string]string{"variant": "turkish", "selfplay.search.contempt": "0"}, 0, 0.006, 57_344, 4},
		{map[string]string{"variant": "turkish", "train.learning_rate": "0.003"}, 0.3, 0.003, 57_344, 4},
		{map[string]string{"variant": "turkish", "generation.simple": "0", "selfplay.forcing": "-1"}, 0.3, 0.006, 0, -1},
		{map[string]string{"variant": "frisian"}, 0, 0.003, 0, -1},
		{map[string]string{"variant": "canadian"}, 0, 0.003, 0, 4},
		{map[string]string{"variant": "frisian", "selfplay.search.contempt": "0.1"}, 0.1, 0.003, 0, -1},
		{map[string]string{"variant": "frisian", "generation.simple": "1000", "selfplay.forcing": "3"}, 0, 0.003, 1000, 3},
	} {
		c.set["net.arch"] = "lattice"
		r, err := Resolve(Sources{Preset: "quick", Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.SelfPlay.Search.Contempt; got != c.contempt {
			t.Errorf("%v: contempt %g (%s), want %g", c.set, got, r.Origin["selfplay.search.contempt"], c.contempt)
		}
		if got := r.Train.LearningRate; got != c.rate {
			t.Errorf("%v: learning rate %g (%s), want %g", c.set, got, r.Origin["train.learning_rate"], c.rate)
		}
		if got := r.SelfPlay.Forcing; got != c.forcing {
			t.Errorf("%v: %d forcing candidates (%s), want %d", c.set, got, r.Origin["selfplay.forcing"], c.forcing)
		}
		if got := r.Generation.Simple; got != c.simple {
			t.Errorf("%v: simple for %d rows (%s), want %d", c.set, got, r.Origin["generation.simple"], c.simple)
		}
		if n := c.simple; n > 0 && (!r.stage(n-1).Simple || r.stage(n).Simple) {
			t.Errorf("%v: stages %+v and %+v before and at %d rows", c.set, r.stage(n-1), r.stage(n), n)
		}
	}
}
