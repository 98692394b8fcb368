package selfplay

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/learner/settings"
	"damier/net/nnue"
	"damier/rules"
)

// A worker that gets only a model plays with the settings of a run of the model's variant.
func TestWorkerPlaysAsARun(t *testing.T) {
	for _, name := range []string{"international", "turkish", "canadian", "english"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		file := filepath.Join(folder, "m.nnue")
		if err := nnue.New(v, 32, 1).SaveFile(file); err != nil {
			t.Fatal(err)
		}
		run, err := settings.Resolve(method, settings.Sources{Set: map[string]string{"variant": name, "selfplay.visits": "0:24"}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := (&flags{variant: strings.ToUpper(name), model: file, out: folder, visits: 24}).worker()
		if err != nil {
			t.Fatal(err)
		}
		if alone, err := (&flags{model: file, out: folder}).worker(); err != nil || alone.Variant.Name != name {
			t.Errorf("without --variant: %v, want the network's, %s", err, name)
		}
		want := run.SelfPlay
		if d := cmp.Diff(want, w.Config); d != "" {
			t.Errorf("%s: it does not play as a run: %s", name, d)
		}
		if general := settings.Default().SelfPlay.MaxPlies; name == "turkish" && want.MaxPlies == general {
			t.Errorf("a run of Turkish draughts has the ply limit of international draughts, %d: this test shows nothing", general)
		}
	}
}
