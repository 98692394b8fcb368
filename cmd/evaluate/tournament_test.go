package main

import (
	"os"
	"path/filepath"
	"testing"

	"damier/models"
	"damier/player"
	"damier/rules"
)

// Results belong to a player as long as its network, its level and its limits are the same, wherever the network lies.
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
			t.Errorf("%s is all said, and has the hash %s", text, h)
		}
	}
	all := map[string]string{}
	for _, text := range []string{
		"nnue:depth=4", "nnue:depth=5", "nnue:nodes=4", "nnue:level=4", "nnue:level=5", "alphabeta:level=4", "alphabeta:level=5",
		"nnue:" + other + ",depth=4", "model:" + other + ",level=4", "model:" + other + ",visits=40",
	} {
		h := hash(text)
		if before, ok := all[h]; ok || h == "" {
			t.Errorf("%s and %s have the hash %q", before, text, h)
		}
		all[h] = text
	}
	if hash("nnue:"+same+",depth=4") != hash("nnue:depth=4") {
		t.Error("a copy of the program's network is another player")
	}
	russian, err := rules.Lookup("russian", nil)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := playerHash(russian, "nnue:depth=4"); err != nil || h == hash("nnue:depth=4") {
		t.Errorf("of another variant: %q, %v", h, err)
	}
}

// A program has a process for each game: as many as there are cores, however many games suit the other side.
func TestTogether(t *testing.T) {
	many, program, few := &side{concurrency: 128}, &side{concurrency: 2, most: 2}, &side{concurrency: 4}
	for _, x := range []struct {
		sides []*side
		want  int
	}{{[]*side{many, few}, 128}, {[]*side{many, program}, 2}, {[]*side{program, few}, 2}, {[]*side{few}, 4}} {
		if got := together(x.sides); got != x.want {
			t.Errorf("%d games at a time, want %d", got, x.want)
		}
	}
	o := &options{}
	spec, err := player.ParseSpec(`hub:"cat",depth=3`)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := o.hub(rules.International, "cat", spec); err != nil || s.most != cores() {
		t.Errorf("a program bears %+v, %v", s, err)
	}
}
