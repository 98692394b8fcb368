package settings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzConfig: settings are read, or refused with an error of  Settings that are read can
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
		r, err := Resolve(widths{}, Sources{File: path})
		if err != nil {
			if !errors.Is(err, ErrSettings) {
				t.Errorf("%v", err)
			}
			return
		}
		if err := os.WriteFile(path, r.WriteTOML(false), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Resolve(widths{}, Sources{File: path})
		if err != nil {
			t.Fatalf("written, it is refused: %v\n%s", err, r.WriteTOML(false))
		}
		if d := Differences(r.Config, again.Config, "the run"); len(d) > 0 {
			t.Errorf("written and read it has changed: %v", d)
		}
	})
}
