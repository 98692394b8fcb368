package settings

import (
	"testing"
)

func TestRungsAreOfTheBaseline(t *testing.T) {
	for _, spec := range []string{"alphabeta-material:depth=4", "alphabeta-banana:depth=4", "alphabeta:time=1s", "nnue:depth=4", "alphabeta"} {
		if r, err := ParseRung(spec); err == nil {
			t.Errorf("%s is taken for %+v", spec, r)
		}
	}
	if _, err := ParseRung(Baseline + ":depth=4"); err != nil {
		t.Error(err)
	}
}
