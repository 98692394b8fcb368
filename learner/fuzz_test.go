package learner

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/data"
)

// FuzzManifest: a manifest is read, or refused as damaged or foreign. The numbers of a manifest
// that is read are in the ranges of a run.
func FuzzManifest(f *testing.F) {
	for _, text := range []string{
		`{"format":1,"rules":1,"generation":3,"checkpoint":{"name":"000001.safetensors"},"games":{"shards":[{"name":"1.parquet","rows":5}]}}`,
		`{"generation":-5}`, `{"format":1,"model":{"name":"../x"}}`, `{"format":1,"seconds":1e999}`, `[]`, ``, `null`,
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, manifestFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(dir)
		switch {
		case err != nil:
			if !errors.Is(err, data.ErrDamaged) && !errors.Is(err, data.ErrForeign) {
				t.Errorf("%v", err)
			}
		case m.Generation < 0 || m.Games.Totals().Rows < 0 || strings.ContainsRune(m.Model.Name, '/'):
			t.Errorf("accepted: %+v", m)
		}
	})
}

// FuzzMetrics: a line of metrics is an event or skipped, and every event can be drawn.
func FuzzMetrics(f *testing.F) {
	for _, text := range []string{
		"{\"event\":\"start\",\"message\":\"session 1\"}\n{\"event\":\"generation\",\"progress\":{\"rows\":5}}\n",
		"{\"event\":\"evaluation\",\"evaluation\":{\"generation\":1,\"rungs\":[]}}\n", "{\"event\":", "\x00\x00\n", "{\"event\":7}\n", "",
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, metricsFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		events, err := ReadEvents(dir)
		if err != nil && len(text) < maxEvent {
			t.Errorf("%v", err)
		}
		if len(events) > bytes.Count(text, []byte("\n"))+1 {
			t.Errorf("%d events", len(events))
		}
		if err := verifyEvents(dir); err != nil && !errors.Is(err, data.ErrDamaged) {
			t.Errorf("%v", err)
		}
	})
}

// FuzzConfig: settings are read, or refused with an error of settings. Settings that are read can
// be written and read again.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"minutes = 3\n[train]\nbatch = 64\n", "[generation]\nstages = [\"0:4/2\"]\n", "variant = \"frisian\"\noptions = \"draws=fmjd\"\n",
		"a.b.c = 1\n", "seed = 18446744073709551615\n", "minutes = nan\n", "[net]\narch = \"lattice\"\nchannels = 8\n", "[[",
	} {
		f.Add(text)
	}
	path := filepath.Join(f.TempDir(), "c.toml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Resolve(Sources{File: path})
		if err != nil {
			if !errors.Is(err, ErrSettings) {
				t.Errorf("%v", err)
			}
			return
		}
		if err := os.WriteFile(path, r.WriteTOML(false), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Resolve(Sources{File: path})
		if err != nil {
			t.Fatalf("written, it is refused: %v\n%s", err, r.WriteTOML(false))
		}
		if d := Differences(r.Config, again.Config); len(d) > 0 {
			t.Errorf("written and read it has changed: %v", d)
		}
	})
}
