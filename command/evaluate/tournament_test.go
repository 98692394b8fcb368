package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"damier/arena"
	"damier/engine/open"
	"damier/models"
	"damier/rules"
)

// The hash of a player stays the same as long as its network, level and limits do, even if the
// file of the network moves. So its stored results stay valid.
func TestPlayerHash(t *testing.T) {
	v := rules.International
	network, err := models.NNUEContent(v)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	same, other := file("same.nnue", network), file("other.nnue", network[1:])
	hash := func(text string) string {
		t.Helper()
		h, err := playerHash(v, text)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, text := range []string{"random", "alphabeta:depth=2", "alphabeta:depth=4", "what"} {
		if h := hash(text); h != "" {
			t.Errorf("%s needs no file, but has the hash %s", text, h)
		}
	}
	all := map[string]string{}
	for _, text := range []string{
		"nnue:depth=4", "nnue:depth=5", "nnue:nodes=4", "nnue:level=4", "nnue:level=5", "alphabeta:level=4", "alphabeta:level=5",
		"nnue:" + other + ",depth=4", "tree:" + other + ",level=4", "tree:" + other + ",visits=40",
	} {
		h := hash(text)
		if before, ok := all[h]; ok || h == "" {
			t.Errorf("%s and %s have the hash %q", before, text, h)
		}
		all[h] = text
	}
	if hash("nnue:"+same+",depth=4") != hash("nnue:depth=4") {
		t.Error("a copy of the program's network has another hash")
	}
	russian, err := rules.Lookup("russian", nil)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := playerHash(russian, "nnue:depth=4"); err != nil || h == hash("nnue:depth=4") {
		t.Errorf("of another variant: %q, %v", h, err)
	}
}

// A foreign program runs one process per game, so it plays at most as many games at a time as
// there are cores, even if the other side prefers more.
func TestTogether(t *testing.T) {
	many, program, few := &open.Side{Concurrency: 128}, &open.Side{Concurrency: 2, Most: 2}, &open.Side{Concurrency: 4}
	for _, x := range []struct {
		sides []*open.Side
		want  int
	}{{[]*open.Side{many, few}, 128}, {[]*open.Side{many, program}, 2}, {[]*open.Side{program, few}, 2}, {[]*open.Side{few}, 4}} {
		if got := open.Together(x.sides); got != x.want {
			t.Errorf("%d games at a time, want %d", got, x.want)
		}
	}
	o := &options{}
	if s, err := o.side(rules.International, `hub:"cat",depth=3`); err != nil || s.Most != cores() {
		t.Errorf("the side of a program is %+v, %v", s, err)
	}
}

// Games lost by a fault or on time are no evidence of strength.
func TestFailuresAreNoProof(t *testing.T) {
	o := &options{a: "alphabeta:depth=2", b: "alphabeta:depth=1"}
	sound := len(missingForProof(arena.Result{}, arena.Match{}, o))
	for _, r := range []arena.Result{{Failures: [2]int{0, 1}}, {Forfeits: [2]int{1, 0}}} {
		if n := len(missingForProof(r, arena.Match{}, o)); n != sound+1 {
			t.Errorf("%+v: %d reasons against a proof, %d without the fault", r, n, sound)
		}
	}
	if n := len(missingForProof(arena.Result{Forfeits: [2]int{1, 0}}, arena.Match{Clock: &arena.Control{}}, o)); n != len(missingForProof(arena.Result{}, arena.Match{Clock: &arena.Control{}}, o)) {
		t.Error("with a clock, a loss on time must not spoil a proof")
	}
}
