package selfplay

import (
	"path/filepath"
	"testing"

	"damier/learner"
	"damier/net"
	"damier/rules"
)

// With a model alone it plays as a run of its variant does.
func TestWorkerPlaysAsARun(t *testing.T) {
	for _, name := range []string{"international", "turkish", "canadian", "english"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := net.NewModel(v, net.Config{Channels: 8, Layers: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		file := filepath.Join(folder, "m.safetensors")
		if err := m.SaveFile(file); err != nil {
			t.Fatal(err)
		}
		run, err := learner.Resolve(learner.Sources{Set: map[string]string{"variant": name, "net.arch": "lattice"}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := (&flags{variant: name, model: file, out: folder, full: 24}).worker()
		if err != nil {
			t.Fatal(err)
		}
		want := run.SelfPlay
		want.FullVisits = 24
		if w.Config != want {
			t.Errorf("%s: it plays with\n%+v, a run with\n%+v", name, w.Config, want)
		}
		if general := learner.Default().SelfPlay.MaxPlies; name == "turkish" && want.MaxPlies == general {
			t.Errorf("a run of Turkish draughts has the ply limit of international draughts, %d: this test shows nothing", general)
		}
	}
}
