package simd

import "testing"

func TestLevels(t *testing.T) {
	ls := Levels()
	if ls[0] != Generic || ls[len(ls)-1] != Best() {
		t.Errorf("levels %v, want Generic first and %v last", ls, Best())
	}
	for _, l := range ls {
		if got, err := ParseLevel(l.String()); err != nil || got != l {
			t.Errorf("ParseLevel(%q) = %v, %v", l, got, err)
		}
	}
	if _, err := ParseLevel("mmx"); err == nil {
		t.Error("ParseLevel accepts mmx")
	}
	if Best() < AVX512 {
		if _, err := ParseLevel("avx512"); err == nil {
			t.Error("ParseLevel accepts a level that cannot run")
		}
	}
	if got := Level(9).String(); got != "Level(9)" {
		t.Errorf("Level(9) prints as %q", got)
	}
}
