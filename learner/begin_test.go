package learner

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/data"
	"damier/learner/journal"
	"damier/learner/settings"
)

// contents returns the content of every file below a directory, by path. The path of a folder ends
// in "/".
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			all[path] = "/"
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// layFiles writes files below a directory; a name that ends in "/" is a folder.
func layFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(path, 0o755))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte("of somebody"), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A folder that is neither empty nor a run is refused, and nothing in it changes.
func TestOpenRefusesWhatIsNoRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  error
	}{
		{"a file", []string{"notes.txt"}, data.ErrForeign},
		{"folders of the same names", []string{"checkpoint/best.safetensors", "models/gen-000001.toy"}, data.ErrForeign},
		{"games", []string{"games/a.parquet"}, data.ErrForeign},
		{"a folder", []string{"src/"}, data.ErrForeign},
		{"a lock with something in it", []string{"lock"}, data.ErrForeign},
		{"a hidden file", []string{".git"}, data.ErrForeign},
		{"settings", []string{"config.toml"}, data.ErrForeign},
		{"a run of train nnue", []string{"checkpoint.safetensors", "model.nnue", "metrics.jsonl"}, data.ErrForeign},
		{"a file where a folder goes", []string{"models"}, data.ErrForeign},
		{"a run without its manifest", []string{"config.toml", "metrics.jsonl", "models/gen-000001.toy", "games/", "checkpoint/"}, data.ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			layFiles(t, dir, c.files...)
			before := contents(t, dir)
			_, err := Open(dir, toyMethod{}, tiny(nil))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--run") {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("something has changed:\n%s", diff)
			}
		})
	}
}

// A run of ours that has lost its manifest counts as damaged and is never begun again.
func TestOpenRefusesARunWithoutItsManifest(t *testing.T) {
	dir := made(t)
	if err := os.Remove(filepath.Join(dir, manifestFile)); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	if _, err := Open(dir, toyMethod{}, tiny(nil)); !errors.Is(err, data.ErrDamaged) || !strings.Contains(err.Error(), manifestFile) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("something has changed:\n%s", diff)
	}
}

// A run can begin in a directory that holds the remains of a process killed before the first
// checkpoint.
func TestOpenAfterAKillBeforeTheFirstCheckpoint(t *testing.T) {
	for _, c := range []struct {
		name  string
		leave func(t *testing.T, dir string)
	}{
		{"folders", func(t *testing.T, dir string) { layFiles(t, dir, "models/", "games/", "checkpoint/") }},
		{"folders and a lock", func(t *testing.T, dir string) {
			layFiles(t, dir, "models/", "games/", "checkpoint/", "matches/")
			if err := os.WriteFile(filepath.Join(dir, lockFile), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{"half a manifest", func(t *testing.T, dir string) { layFiles(t, dir, "models/", ".run.json.123456.tmp") }},
		{"a manifest alone", func(t *testing.T, dir string) {
			begun(t, dir)
			if err := os.Remove(filepath.Join(dir, configFile)); err != nil {
				t.Fatal(err)
			}
		}},
		{"manifest and half the settings", func(t *testing.T, dir string) {
			begun(t, dir)
			if err := os.Remove(filepath.Join(dir, configFile)); err != nil {
				t.Fatal(err)
			}
			layFiles(t, dir, ".config.toml.77.tmp")
		}},
		{"half a checkpoint", func(t *testing.T, dir string) {
			begun(t, dir)
			layFiles(t, dir, "checkpoint/.000001.safetensors.4711.tmp")
		}},
		{"a checkpoint that no manifest names", func(t *testing.T, dir string) {
			begun(t, dir)
			layFiles(t, dir, "checkpoint/000001.safetensors")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			c.leave(t, dir)
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := session(t, ctx, dir, tiny(nil), newSpy()); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			verify(t, dir)
			if _, err := Open(dir, toyMethod{}, resume(map[string]string{"seed": "99"})); !errors.Is(err, ErrConflict) {
				t.Errorf("it has begun, and the seed may change: %v", err)
			}
		})
	}
}

// begun writes the files of a run that is open and has no checkpoint yet.
func begun(t *testing.T, dir string) {
	t.Helper()
	run, err := Open(dir, toyMethod{}, tiny(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
}

// A run that is set to begin with the weights of a file does not begin if the file is missing.
func TestOpenAfterAKillBeforeTheFirstCheckpointWithWeights(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first")
	m, _ := mustRun(t, first, tiny(map[string]string{"generations": "1"}))
	weights := filepath.Join(first, modelsDir, m.Model.Name)
	dir := filepath.Join(t.TempDir(), "second")
	s := tiny(nil)
	s.From = weights
	run, err := Open(dir, toyMethod{}, s)
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
	if _, err := Open(dir, toyMethod{}, settings.Sources{}); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "--from") {
		t.Errorf("without the weights: %v", err)
	}
	run, err = Open(dir, toyMethod{}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if run.initial == nil || run.Manifest.From == "" || !run.Fresh {
		t.Errorf("%+v", run.Manifest)
	}
}

// Files that a person puts into the folders of a run stay there, whatever their name. So do files
// in a folder that the path of the run, read as a pattern, would match.
func TestRunDeletesOnlyItsOwn(t *testing.T) {
	root := t.TempDir()
	layFiles(t, root, "runA/checkpoint/000001.safetensors", "runA/models/gen-000000.toy", "runA/games/x.parquet")
	neighbour := contents(t, filepath.Join(root, "runA"))
	dir := filepath.Join(root, "run[AB]")
	s := tiny(map[string]string{"generations": "2", "limits.keep_models": "1"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := session(t, ctx, dir, s, newSpy()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	mine := []string{
		"models/gen-best.toy", "models/gen-000001.toy.bak", "models/gen-1.toy",
		"checkpoint/mine.safetensors", "checkpoint/unfinished-mine.parquet", "checkpoint/000001 copy.safetensors",
	}
	layFiles(t, dir, mine...)
	mustRun(t, dir, resume(nil))
	for _, name := range mine {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "of somebody" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if diff := cmp.Diff(neighbour, contents(t, filepath.Join(root, "runA"))); diff != "" {
		t.Errorf("the neighbour has changed:\n%s", diff)
	}
	files, err := os.ReadDir(filepath.Join(dir, checkpointDir)) // our own old files are removed
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, f := range files {
		if named(checkpointName, 1)(f.Name()) {
			ours++
		}
	}
	if ours != 1 {
		t.Errorf("the folder holds %d checkpoints, want 1", ours)
	}
}

// A shard is copied between two sessions of a run. The copy is reported, left alone and not
// counted.
func TestACopiedShardCountsOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, _ := mustRun(t, dir, tiny(map[string]string{"generations": "2"}))
	name := m.Games.Shards[0].Name
	shard, err := os.ReadFile(filepath.Join(dir, gamesDir, name))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, gamesDir, "copy.parquet")
	if err := os.WriteFile(copied, shard, 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := Open(dir, toyMethod{}, settings.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	report := newSpy()
	l, err := New(t.Context(), run, report)
	if err != nil {
		t.Fatal(err)
	}
	totals := l.store.Totals()
	run.Close()
	if totals != m.Games.Totals() {
		t.Errorf("totals %+v, want %+v", totals, m.Games.Totals())
	}
	if text := report.text(); !strings.Contains(text, "copy.parquet is left alone") {
		t.Errorf("nothing is said of it: %s", text)
	}
	var out strings.Builder
	if err := Verify(t.Context(), dir, toyMethod{}, &out); err != nil || !strings.Contains(out.String(), "copy.parquet is left alone: ") {
		t.Errorf("verify: %v\n%s", err, &out)
	}
	// So is a file of another program, and neither is printed with the games.
	other := filepath.Join(dir, gamesDir, "other.parquet")
	if err := os.WriteFile(other, []byte("PAR1 another program PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := Check(t.Context(), dir, toyMethod{})
	if err != nil || !slices.Equal(found.LeftAlone, []string{copied, other}) || found.ToAdopt != 0 {
		t.Errorf("%v, left alone: %q, to be adopted: %d", err, found.LeftAlone, found.ToAdopt)
	}
	view, err := OpenView(dir, toyMethod{})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	if err := view.EachGame(func(g *data.Game) error { ids[g.ID]++; return nil }); err != nil || len(ids) != totals.Games || slices.Max(slices.Collect(maps.Values(ids))) != 1 {
		t.Errorf("%v; %d games of %d: %v", err, len(ids), totals.Games, ids)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	// A manifest that counts the copy, as earlier versions wrote it, is damaged.
	info := m.Games.Shards[0]
	info.Name = "copy.parquet"
	run, err = Open(dir, toyMethod{}, settings.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	run.Manifest.Games.Shards = append(run.Manifest.Games.Shards, info)
	if err := errors.Join(run.Save(), run.Close()); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), dir, toyMethod{}, &out); !errors.Is(err, data.ErrDamaged) || !strings.Contains(err.Error(), "counts once") {
		t.Errorf("verify: %v", err)
	}
}

// A run continues if somebody deletes all its games while it is running, and reports it.
func TestRunGoesOnWithoutItsGames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	report := newSpy()
	deleted := 0
	report.generation = func(*Learner) {
		names, err := data.Shards(filepath.Join(dir, gamesDir))
		if err != nil {
			t.Error(err)
		}
		for _, name := range names {
			if err := os.Remove(filepath.Join(dir, gamesDir, name)); err != nil {
				t.Error(err)
			}
			deleted++
		}
	}
	if _, err := session(t, context.Background(), dir, tiny(map[string]string{"generations": "3"}), report); err != nil {
		t.Fatalf("%v\n%s", err, report.text())
	}
	if text := report.text(); deleted < 3 || !strings.Contains(text, "somebody has deleted them") {
		t.Errorf("%d deleted: %s", deleted, text)
	}
}

// Verify detects manifests and metrics that no run writes, and accepts the remains of a killed
// process.
func TestVerifyNumbersAndMetrics(t *testing.T) {
	dir := made(t)
	manifest, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := os.ReadFile(filepath.Join(dir, journal.File))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ from, to string }{
		{`"generation": 0`, `"generation": -5`}, {`"steps": 0`, `"steps": -1`}, {`"pending": 0`, `"pending": -1`},
		{`"name": "0000`, `"name": "../0000`},
	} {
		changed := strings.Replace(string(manifest), c.from, c.to, 1)
		if changed == string(manifest) {
			t.Fatalf("%s is not in the manifest", c.from)
		}
		put(manifestFile, []byte(changed))
		if err := Verify(t.Context(), dir, toyMethod{}, &strings.Builder{}); !errors.Is(err, data.ErrDamaged) {
			t.Errorf("verify, %s: %v", c.to, err)
		}
		if _, err := Open(dir, toyMethod{}, settings.Sources{}); !errors.Is(err, data.ErrDamaged) {
			t.Errorf("open, %s: %v", c.to, err)
		}
	}
	put(manifestFile, manifest)
	half := metrics[:len(metrics)/2]
	for name, c := range map[string]struct {
		content []byte
		want    error
	}{
		"whole":          {metrics, nil},
		"none":           {nil, nil},
		"half a line":    {half, nil},
		"half, and more": {append(append(append([]byte{}, half...), '\n'), metrics...), nil},
		"random bytes":   {[]byte("\x93\x00\xff\n\x1b{}\x80"), data.ErrDamaged},
		"text":           {[]byte("hello\n"), data.ErrDamaged},
		"other JSON":     {[]byte("{\"event\":7}\n"), data.ErrDamaged},
		"a long line":    {[]byte(strings.Repeat("x", 1<<22+1)), data.ErrDamaged},
	} {
		put(journal.File, c.content)
		if err := Verify(t.Context(), dir, toyMethod{}, &strings.Builder{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
