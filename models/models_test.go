package models

import (
	"strings"
	"testing"

	"damier/net/nnue"
	"damier/rules"
)

// Every file is the model of the variant that it is named for; the variants without one say so.
func TestLoad(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	tabled := map[string]bool{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), nnue.Extension)
		if !ok {
			t.Errorf("%s is no network", e.Name())
		}
		tabled[name] = true
	}
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !tabled[name] {
			t.Errorf("%s: nobody who opens the board should meet an untrained opponent, and there is no NNUE", name)
			continue
		}
		x, err := NNUE(v)
		if err != nil {
			t.Error(err)
			continue
		}
		if x.Variant.Name != name || x.Games == 0 {
			t.Errorf("%s: loaded an NNUE for %v after %d games", name, x.Variant, x.Games)
		}
		delete(tabled, name)
	}
	for name := range tabled {
		t.Errorf("%s%s is for no variant", name, nnue.Extension)
	}
}

func TestLoadOtherOptions(t *testing.T) {
	v, err := rules.Lookup("international", rules.Options{"draws": "immediate"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NNUE(v); err == nil {
		t.Error("a model for other draw rules was loaded")
	}
}

// A repository that everybody clones has room for so much.
func TestSize(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 4<<20 {
			t.Errorf("%s has %d bytes, more than 4 MB", e.Name(), info.Size())
		}
		total += info.Size()
	}
	if total > 20<<20 {
		t.Errorf("the models have %d bytes together, more than 20 MB", total)
	}
}
