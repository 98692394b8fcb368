package tournament

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"damier/rules"
)

// FuzzOpen: a results file is opened, or refused as damaged or of another tournament. A file that
// was opened once can be opened again.
func FuzzOpen(f *testing.F) {
	settings := Settings{Openings: "x", MaxPlies: 100, Seed: 1}
	players := []Player{{Name: "a", Spec: "random"}, {Name: "b", Spec: "random"}}
	name := filepath.Join(f.TempDir(), ResultsFile)
	dir := filepath.Dir(name)
	s, err := Open(dir, rules.English, settings, players)
	if err != nil {
		f.Fatal(err)
	}
	g := rules.NewGame(rules.English)
	for !g.Over() {
		if err := g.Play(g.Legal()[0]); err != nil {
			f.Fatal(err)
		}
	}
	if err := errors.Join(s.Add(Game{Control: "1s", White: "a", Black: "b", Opening: -1, Game: g, Date: "2026.01.01"}), s.Close()); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)-7])
	f.Add([]byte("{}\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		Peek(dir)
		for i := range 2 {
			s, err := Open(dir, rules.English, settings, players)
			if err != nil {
				if i > 0 || !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrOther) {
					t.Fatalf("opened %d times: %v", i, err)
				}
				return
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
