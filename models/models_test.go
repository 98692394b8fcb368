package models

import (
	"errors"
	"strings"
	"testing"

	"damier/nnue"
	"damier/rules"
)

// Every file is the model of the variant that it is named for; the variants without one say so.
func TestLoad(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	with, tabled := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), nnue.Extension); ok {
			tabled[name] = true
			continue
		}
		with[strings.TrimSuffix(e.Name(), ".safetensors")] = true
	}
	if !with["international"] {
		t.Error("there is no model for international draughts")
	}
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(v)
		switch {
		case !with[name] && !errors.Is(err, ErrNone):
			t.Errorf("%s: a model that is not there: %v", name, err)
		case !with[name]:
		case err != nil:
			t.Error(err)
		case m.Variant.Name != name || m.Size() == 0:
			t.Errorf("%s: loaded a model for %v", name, m.Variant)
		}
		delete(with, name)
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
	for name := range with {
		t.Errorf("%s.safetensors is for no variant", name)
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
	if _, err := Load(v); err == nil {
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
