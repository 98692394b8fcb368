package rules

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// readEntries reads the entries of a file of testdata into what dst points to.
func readEntries(t *testing.T, name string, dst any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Entries json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal(file.Entries, dst); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestPerft counts every entry of testdata/perft.json; those above five million leaves only with
// DAMIER_LONG=1.
func TestPerft(t *testing.T) {
	var entries []struct {
		Position, FEN string
		Depth         int
		Leaves        uint64
	}
	readEntries(t, "perft.json", &entries)
	if len(entries) < 30 {
		t.Fatalf("testdata/perft.json has %d entries", len(entries))
	}
	for _, e := range entries {
		if e.Leaves > 5e6 && !long() {
			continue
		}
		p, err := ParseFEN(International, e.FEN)
		if err != nil {
			t.Fatal(err)
		}
		if got := International.Perft(p, e.Depth); got != e.Leaves {
			t.Errorf("%s at depth %d: %d leaves, want %d", e.Position, e.Depth, got, e.Leaves)
		}
		if e.Leaves < 1e5 {
			if got := International.perftReference(p, e.Depth); got != e.Leaves {
				t.Errorf("%s at depth %d, slow twin: %d leaves, want %d", e.Position, e.Depth, got, e.Leaves)
			}
		}
	}
}

// TestPerftTwins compares the fast count with the slow one where captures and kings abound.
func TestPerftTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, v := range twinVariants(t) {
		for range 60 {
			p := randomPosition(v, rng, 8, 0.3)
			if got, want := v.Perft(p, 3), v.perftReference(p, 3); got != want {
				t.Fatalf("%s: %s at depth 3: %d leaves, the slow twin has %d", v, v.FEN(p), got, want)
			}
		}
	}
}

// TestRotation: the rules are the same for both sides, so half a turn with the colours exchanged
// changes no count.
func TestRotation(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	v := International
	for i := range 500 {
		p := randomPosition(v, rng, 10, 0.2)
		if i%2 == 0 {
			p = randomGamePosition(v, rng)
		}
		q := v.Rotate(p)
		if v.Rotate(q) != p {
			t.Fatalf("%s: two half turns are not none", v.FEN(p))
		}
		moves, turned := v.AppendMoves(nil, p), v.AppendMoves(nil, q)
		if len(moves) != len(turned) {
			t.Fatalf("%s: %d moves, turned %d", v.FEN(p), len(moves), len(turned))
		}
		for _, m := range moves {
			if after := v.Rotate(v.Play(p, m)); !playable(v, q, turned, after) {
				t.Fatalf("%s after %s is not reached when turned", v.FEN(p), v.FormatMove(m))
			}
		}
		if a, b := v.Perft(p, 3), v.Perft(q, 3); a != b {
			t.Fatalf("%s: perft 3 is %d, turned %d", v.FEN(p), a, b)
		}
	}
	if start := v.Start(); !v.Rotate(start).Same(NewPosition(start.Pieces(White), start.Pieces(Black), Set{}, Black)) {
		t.Error("the start is not symmetric")
	}
}

// playable reports whether one of the moves leads from p to q.
func playable(v *Variant, p Position, moves []Move, q Position) bool {
	for _, m := range moves {
		if v.Play(p, m) == q {
			return true
		}
	}
	return false
}

// randomGamePosition returns a position of a random game that has not ended.
func randomGamePosition(v *Variant, rng *rand.Rand) Position {
	p := v.Start()
	for n := rng.IntN(120); n > 0; n-- {
		moves := v.AppendMoves(nil, p)
		if len(moves) == 0 {
			return v.Start()
		}
		p = v.Play(p, moves[rng.IntN(len(moves))])
	}
	return p
}

func ExampleVariant_Perft() {
	for depth := range 7 {
		fmt.Println(depth, International.Perft(International.Start(), depth))
	}
	// Output:
	// 0 1
	// 1 9
	// 2 81
	// 3 658
	// 4 4265
	// 5 27117
	// 6 167140
}
