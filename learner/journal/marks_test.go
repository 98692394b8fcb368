package journal

import (
	"testing"

	"damier/rules"
)

// The rungs of every variant stand in their order.
func TestMarks(t *testing.T) {
	for _, variant := range rules.Names() {
		marks := Marks(variant)
		if len(marks) < 3 {
			t.Errorf("%s: only %d rungs have an Elo", variant, len(marks))
		}
		for i, m := range marks {
			if i == 0 && m.Elo != 0 {
				t.Errorf("%s: %s stands at %g, want 0", variant, m.Name, m.Elo)
			}
			if i > 0 && m.Elo <= marks[i-1].Elo {
				t.Errorf("%s: %s stands at %g, the one below at %g", variant, m.Name, m.Elo, marks[i-1].Elo)
			}
		}
	}
	if marks := Marks("no such game"); len(marks) != 0 {
		t.Errorf("a variant that is none: %v", marks)
	}
}
