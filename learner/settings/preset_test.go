package settings

import (
	"strings"
	"testing"
)

func TestPresets(t *testing.T) {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
		if p.Summary == "" {
			t.Errorf("preset %s says nothing", p.Name)
		}
	}
	if strings.Join(names, " ") != "tiny smoke quick hour day week" {
		t.Error(names)
	}
}
