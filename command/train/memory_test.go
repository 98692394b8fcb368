package train

import "testing"

func TestGarbageShare(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 1 << 20: 100, 32 << 20: 100, 64 << 20: 50, 320 << 20: 10, 100 << 30: 5} {
		if got := garbageShare(live); got != want {
			t.Errorf("%d MB alive: %d %%, want %d %%", live>>20, got, want)
		}
	}
}
