package cluster

import (
	"math/rand/v2"
	"testing"
)

// The ledger agrees with a plain set.
func TestLedgerIsASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		l, set := &ledger{Actors: map[string][][2]uint64{}}, map[uint64]bool{}
		for range 300 {
			n := rng.Uint64N(200)
			if l.add("a", n) == set[n] {
				t.Fatalf("%d was there: %v", n, set[n])
			}
			set[n] = true
		}
		for n := range uint64(201) {
			if l.has("a", n) != set[n] {
				t.Fatalf("has %d: %v", n, l.Actors)
			}
		}
		if l.Games != int64(len(set)) {
			t.Fatalf("%d games, want %d", l.Games, len(set))
		}
		for i, r := range l.Actors["a"] {
			if r[0] > r[1] || i > 0 && l.Actors["a"][i-1][1]+1 >= r[0] {
				t.Fatal(l.Actors)
			}
		}
	}
}

func TestParseID(t *testing.T) {
	good := "00000000000000ff-anna_1-a12-345"
	if n, err := parseID(good); err != nil || n.seed != 255 || n.worker != "anna_1" || n.actor != "anna_1-a12" || n.number != 345 {
		t.Errorf("%+v, %v", n, err)
	}
	for _, id := range []string{
		"", "-", "ff-w-a0-1", "00000000000000ff-w-a0-01", "00000000000000FF-w-a0-1", "00000000000000ff-w-a-1",
		"00000000000000ff-a0-1", "00000000000000ff-w-a0-x", "00000000000000ff-w-a99999-1", "00000000000000ff-W-a0-1",
		"00000000000000ff-w-a0-a0-1", "00000000000000ff-w-a00-1",
	} {
		if n, err := parseID(id); err == nil && n.actor != "w-a00" {
			t.Errorf("%q is taken for %+v", id, n)
		}
	}
}
