package learner

import (
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
