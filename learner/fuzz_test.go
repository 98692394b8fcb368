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
