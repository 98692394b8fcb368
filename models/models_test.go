package models

import (
	"testing"

	"damier/rules"
)

func TestLoad(t *testing.T) {
	m, err := Load(rules.International)
	if err != nil {
		t.Fatal(err)
	}
	if m.Variant.Name != "international" || m.Size() == 0 {
		t.Errorf("loaded %v", m)
	}
	v, err := rules.Lookup("international", rules.Options{"draws": "immediate"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(v); err == nil {
		t.Error("a model for other draw rules was loaded")
	}
}
