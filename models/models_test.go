package models

import (
	"errors"
	"strings"
	"testing"

	"damier/rules"
)

// Every file is the model of the variant that it is named for; the variants without one say so.
func TestLoad(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	with := map[string]bool{}
	for _, e := range entries {
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
	}
	for name := range with {
		t.Errorf("%s.safetensors is for no variant", name)
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
