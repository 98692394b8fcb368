package rules

import "testing"

func TestPerftStart(t *testing.T) {
	for depth, want := range []uint64{1, 9, 81, 658, 4265, 27117} {
		if got := International.Perft(International.Start(), depth); got != want {
			t.Errorf("depth %d: %d leaves, want %d", depth, got, want)
		}
	}
}
