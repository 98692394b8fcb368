package learner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"damier/data"
	"damier/learner/settings"
	"damier/rules"
)

// made returns a run that has begun, and is held by nobody.
func made(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := session(t, ctx, dir, tiny(nil), newSpy()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return dir
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	run, err := Open(dir, toyMethod{}, tiny(map[string]string{"seed": "3"}))
	if err != nil {
		t.Fatal(err)
	}
	if !run.Fresh || run.Manifest.Name != "run" || run.Manifest.Variant != "international" || run.Manifest.Rules != rules.Version {
		t.Errorf("%+v", run.Manifest)
	}
	// Another handle has to wait, whatever it asks for.
	if _, err := Open(dir, toyMethod{}, tiny(nil)); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), dir) {
		t.Errorf("held: %v", err)
	}
	if err := run.Save(); err != nil {
		t.Fatal(err)
	}
	if err := Verify(context.Background(), dir, toyMethod{}, os.Stderr); !errors.Is(err, ErrHeld) {
		t.Errorf("verify while held: %v", err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}

	before, err := os.ReadFile(filepath.Join(dir, configFile))
	if err != nil {
		t.Fatal(err)
	}
	run, err = Open(dir, toyMethod{}, settings.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if !run.Fresh || run.Config.Seed != 3 || run.Config.Net.Width != 32 {
		t.Errorf("resumed: %+v", run.Config.Config)
	}
	run.Close()
	if after, _ := os.ReadFile(filepath.Join(dir, configFile)); string(after) != string(before) {
		t.Error("a session that changes nothing wrote the configuration again")
	}
	run, err = Open(dir, toyMethod{}, settings.Sources{Set: map[string]string{"minutes": "7"}})
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
	if again, err := ResolveRun(dir, toyMethod{}, settings.Sources{}); err != nil || again.Minutes != 7 || again.Seed != 3 {
		t.Errorf("%+v, %v", again, err)
	}
}

// A run goes on with the values that were defaults when it began.
func TestOpenOldDefaults(t *testing.T) {
	dir := made(t)
	path := filepath.Join(dir, configFile)
	is := regexp.MustCompile(`(?m)^(cap = )\d+(  # default)$`)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := is.ReplaceAll(text, []byte("${1}7654321$2"))
	if string(old) == string(text) {
		t.Fatalf("no cap by default in\n%s", text)
	}
	if err := os.WriteFile(path, old, 0o666); err != nil {
		t.Fatal(err)
	}
	run, err := Open(dir, toyMethod{}, resume(map[string]string{"minutes": "7"}))
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
	if run.Config.Window.Cap != 7654321 || run.Config.Origin["window.cap"] != "default" || run.Config.Origin["minutes"] != "flag" {
		t.Errorf("window.cap %d of %s, minutes of %s", run.Config.Window.Cap, run.Config.Origin["window.cap"], run.Config.Origin["minutes"])
	}
	// A run from before the setting learnt without it.
	if run.Config.Value.LeastVisits != 0.2 {
		t.Errorf("value.least_visits %g by default", run.Config.Value.LeastVisits)
	}
	older := regexp.MustCompile(`(?m)^least_visits = 0\.2.*\n`).ReplaceAll(old, nil)
	if len(older) == len(old) {
		t.Fatalf("no least_visits by default in\n%s", old)
	}
	if err := os.WriteFile(path, older, 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the file has the key
		run, err := Open(dir, toyMethod{}, resume(map[string]string{"minutes": "8"}))
		if err != nil {
			t.Fatal(err)
		}
		run.Close()
		if run.Config.Value.LeastVisits != 0 {
			t.Errorf("value.least_visits %g in a run that is older", run.Config.Value.LeastVisits)
		}
	}
}

func TestOpenConflict(t *testing.T) {
	dir := made(t)
	visits := filepath.Join(t.TempDir(), "c.toml")
	if err := write(visits, []byte("[selfplay]\nvisits = [\"0:6\"]\n")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s    settings.Sources
		want []string
	}{
		{resume(map[string]string{"seed": "2"}), []string{"seed: the run has 1, asked for is 2"}},
		{resume(map[string]string{"options": "draws=immediate"}), []string{"options: "}},
		{resume(map[string]string{"net.width": "64", "selfplay.search": "alphabeta"}), []string{"net.width: the run has 32", "selfplay.search: the run has \"tree\""}},
		{settings.Sources{Preset: "smoke", Set: map[string]string{"generation.rows": "9"}}, []string{"generation.rows: the run has 64, asked for is 9"}},
		{settings.Sources{File: visits}, []string{`selfplay.visits: the run has ["0:4"], asked for is ["0:6"]`,
			"visits may change only for rows to come: the run has 0 rows, so begin the new entry at 1 or later: --set selfplay.visits=0:4,1:6"}},
		{settings.Sources{Env: []string{"DAMIER_TRAIN_BATCH=64"}}, []string{"train.batch: the run has 32, asked for is 64"}},
	} {
		_, err := Open(dir, toyMethod{}, c.s)
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%+v: %v", c.s, err)
			continue
		}
		for _, want := range append(c.want, "--run DIR") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in %v", want, err)
			}
		}
	}
	if _, err := Open(dir, toyMethod{}, resume(map[string]string{"train.batsh": "3"})); !errors.Is(err, settings.ErrSettings) {
		t.Errorf("unknown key: %v", err)
	}
	// The lock is free again, and nothing has changed.
	verify(t, dir)
}

// The visits of a run that goes on change from its next row on: the error says which that is, and
// what it says is accepted.
func TestOpenVisitsToCome(t *testing.T) {
	dir := made(t)
	const rows = 25_422_232
	manifest := filepath.Join(dir, manifestFile)
	if err := replace(manifest, `"rows": 0`, fmt.Sprintf(`"rows": %d`, rows)); err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		"0:6":                 "0:4,25422233:6",
		"0:4,25422232:6":      "0:4,25422233:6",
		"0:4,9:7,30000000:99": "0:4,25422233:7,30000000:99",
	} {
		_, err := Open(dir, toyMethod{}, resume(map[string]string{"selfplay.visits": asked}))
		text := "visits may change only for rows to come: the run has 25,422,232 rows, " +
			"so begin the new entry at 25422233 or later: --set selfplay.visits=" + want
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, want %q", asked, err, text)
		}
	}
	run, err := Open(dir, toyMethod{}, resume(map[string]string{"selfplay.visits": "0:4,25422233:6"}))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if s := run.Config.SelfPlay; s.Stage(rows).Visits != 4 || s.Stage(rows+1).Visits != 6 {
		t.Errorf("visits %v", s.Visits)
	}
}

func TestOpenBroken(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(dir string) error
		want  error
		text  string
	}{
		{"damaged manifest", func(dir string) error {
			return os.Truncate(filepath.Join(dir, manifestFile), 100)
		}, data.ErrDamaged, manifestFile},
		{"other rules", func(dir string) error {
			return replace(filepath.Join(dir, manifestFile), fmt.Sprintf(`"rules": %d`, rules.Version), `"rules": 99`)
		}, data.ErrForeign, "rules 99"},
		{"other format", func(dir string) error {
			return replace(filepath.Join(dir, manifestFile), `"format": 2`, `"format": 3`)
		}, data.ErrForeign, "format 3"},
		{"a run of the lattice", func(dir string) error {
			path := filepath.Join(dir, manifestFile)
			return errors.Join(replace(path, `"format": 2`, `"format": 1`), replace(path, `"model": {}`, `"model": {"name": "gen-000012.safetensors"}`))
		}, data.ErrForeign, "a run of the lattice network, which this version does not train"},
		{"an earlier run", func(dir string) error {
			path := filepath.Join(dir, manifestFile)
			return errors.Join(replace(path, `"format": 2`, `"format": 1`), replace(path, `"model": {}`, `"model": {"name": "gen-000012.nnue"}`))
		}, data.ErrForeign, filepath.Join("--from ")},
		{"no configuration", func(dir string) error {
			return os.Remove(filepath.Join(dir, configFile))
		}, data.ErrDamaged, configFile},
		{"damaged configuration", func(dir string) error {
			return replace(filepath.Join(dir, configFile), "[train]", "[train")
		}, settings.ErrSettings, configFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := made(t)
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, toyMethod{}, settings.Sources{}); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("damaged checkpoint", func(t *testing.T) {
		dir := made(t)
		files, _ := filepath.Glob(filepath.Join(dir, checkpointDir, "*.safetensors"))
		if err := os.Truncate(files[0], 1000); err != nil {
			t.Fatal(err)
		}
		run, err := Open(dir, toyMethod{}, settings.Sources{})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if _, err := New(t.Context(), run, newSpy()); !errors.Is(err, data.ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(files[0])) {
			t.Errorf("%v", err)
		}
	})
	t.Run("stopped while the window is read", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		mustRun(t, dir, tiny(map[string]string{"generations": "1", "evaluation.rungs": ""}))
		run, err := Open(dir, toyMethod{}, settings.Sources{})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := New(ctx, run, newSpy()); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("what a killed writer left", func(t *testing.T) {
		dir := made(t)
		left := filepath.Join(dir, modelsDir, ".gen-000009.toy.1.tmp")
		if err := errors.Join(os.WriteFile(left, []byte("half"), 0o600), os.Chtimes(left, time.Time{}, time.Now().Add(-2*staleAfter))); err != nil {
			t.Fatal(err)
		}
		run, err := Open(dir, toyMethod{}, settings.Sources{})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if exists(left) {
			t.Error("it is still there")
		}
	})
	t.Run("a file in the way", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := write(file, []byte("x")); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(file, "run")
		if _, err := Open(dir, toyMethod{}, tiny(nil)); err == nil || !strings.Contains(err.Error(), "choose another place with --run") {
			t.Errorf("%v", err)
		}
	})
	t.Run("wrong settings leave nothing", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := Open(dir, toyMethod{}, tiny(map[string]string{"train.batch": "0"})); !errors.Is(err, settings.ErrSettings) || exists(dir) {
			t.Errorf("%v", err)
		}
	})
}

func replace(path, from, to string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), from) {
		return fmt.Errorf("%q is not in %s", from, path)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644)
}
