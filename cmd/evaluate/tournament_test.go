package main

import (
	"os"
	"path/filepath"
	"testing"

	"damier/models"
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
