package simd

import (
	"slices"
	"strings"
	"testing"
)

func TestNewLattice(t *testing.T) {
	l := diagonal(t, 10, 10)
	if l.Squares != 50 || l.Taps != 5 {
		t.Errorf("international board has %d squares and %d taps, want 50 and 5", l.Squares, l.Taps)
	}
	if want := []int{0, 4, 3, 2, 1}; !slices.Equal(l.Opposite, want) {
		t.Errorf("opposite taps %v, want %v", l.Opposite, want)
	}
	if want := []int{0, 2, 1, 4, 3}; !slices.Equal(line(t, 9, 2).Opposite, want) {
		t.Errorf("opposite taps of a line %v, want %v", line(t, 9, 2).Opposite, want)
	}
	// A ring of two squares: the one step is its own opposite.
	l, err := NewLattice([][]int{{0, 1}, {1, 0}})
	if err != nil || l.Opposite[1] != 1 {
		t.Errorf("ring of two: %+v, %v", l, err)
	}
}

func TestNewLatticeErrors(t *testing.T) {
	for _, c := range []struct {
		want      string
		neighbour [][]int
	}{
		{"without squares", nil},
		{"without squares or taps", [][]int{{}}},
		{"square 1 has 1 taps", [][]int{{0, 1}, {1}}},
		{"tap 0 is 0", [][]int{{0}, {0}}},
		{"neighbour 2 out of range", [][]int{{0, 2}, {1, 0}}},
		{"neighbour -2 out of range", [][]int{{0, -2}, {1, 0}}},
		{"tap 1 has no opposite", [][]int{{0, 1}, {1, -1}}},
		{"tap 1 has no opposite", [][]int{{0, 1}, {1, 2}, {2, 0}}},
	} {
		if _, err := NewLattice(c.neighbour); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.neighbour, err, c.want)
		}
	}
}

func TestLevels(t *testing.T) {
	ls := Levels()
	if ls[0] != Generic || ls[len(ls)-1] != Best() {
		t.Errorf("levels %v, want Generic first and %v last", ls, Best())
	}
	for _, l := range ls {
		if got, err := ParseLevel(l.String()); err != nil || got != l {
			t.Errorf("ParseLevel(%q) = %v, %v", l, got, err)
		}
		if PeakLoop(l, 10) <= 0 || PeakLoop(l, 0) != 0 {
			t.Errorf("PeakLoop at %v counts %d and %d operations", l, PeakLoop(l, 10), PeakLoop(l, 0))
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
