package net

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"damier/internal/simd"
	"damier/rules"
)

// lane returns one lane of a block.
func lane(block []float32, n int) []float32 {
	var x []float32
	for i := n; i < len(block); i += simd.Lanes {
		x = append(x, block[i])
	}
	return x
}

// TestEncode compares the planes of every variant with those of the twin.
func TestEncode(t *testing.T) {
	for _, v := range variants(t) {
		for _, arch := range []string{Lattice, MLP} {
			testEncode(t, v, arch)
		}
	}
}

func testEncode(t *testing.T, v *rules.Variant, arch string) {
	e := NewEncoder(v, Config{Arch: arch})
	twin := &Reference{variant: v}
	block := make([]float32, e.Len())
	for i := range block {
		block[i] = 77 // stays wherever another lane is
	}
	full := map[int]bool{} // planes that were not all 0
	for i, s := range positionsOf(t, v, 200, 1) {
		if v.Draws.MainRoad > 0 {
			s.position.Road = uint8(i % 12)
		}
		n := i * 7 % simd.Lanes
		before := slices.Clone(block)
		e.Encode(block, n, s.position, s.occurrences)
		for j := range block {
			if j%simd.Lanes != n && block[j] != before[j] {
				t.Fatalf("%v, %s: lane %d written while encoding lane %d", v, arch, j%simd.Lanes, n)
			}
		}
		x := twin.planes(s.position, s.occurrences)
		for _, square := range x {
			for plane, value := range square {
				full[plane] = full[plane] || value != 0
			}
		}
		want := slices.Concat(x...)
		if arch == MLP {
			want = twin.flat(x)
		}
		got := lane(block, n)
		if len(got) != len(want) {
			t.Fatalf("%v, %s: %d values, want %d", v, arch, len(got), len(want))
		}
		for j := range want {
			if math.Abs(float64(got[j])-want[j]) > 1e-6 || got[j] < 0 || got[j] > 1 {
				t.Fatalf("%v, %s: position %d, value %d is %v, want %v", v, arch, i, j, got[j], want[j])
			}
		}

		other := v.Rotate(s.position)
		e.Encode(block, n, other, s.occurrences)
		if !slices.Equal(lane(block, n), got) {
			t.Fatalf("%v, %s: position %d is not encoded as its half turn with the colours exchanged", v, arch, i)
		}
		for _, m := range s.moves {
			from, to := e.Index(s.position.Turn, m.From), e.Index(s.position.Turn, m.To)
			b := v.Board
			if from != e.Index(other.Turn, b.Rotate(m.From)) || to != e.Index(other.Turn, b.Rotate(m.To)) {
				t.Fatalf("%v: move %v: another index on the turned board", v, m)
			}
			own := got[from*e.planes+OwnMen] + got[from*e.planes+OwnKings]
			if own != 1 {
				t.Fatalf("%v: move %v: no piece of the side to move at index %d", v, m, from)
			}
		}
	}
	for plane := range twin.planes(v.Start(), 1)[0] {
		want := true
		switch plane {
		case OwnKings, TheirKings:
			want = !v.FirstKingWins
		case NoProgress:
			want = v.Draws.KingPlies > 0
		case Endgame, Repetition:
			continue // by chance
		}
		if full[plane] != want {
			t.Errorf("%v: plane %d has values: %t, want %t", v, plane, full[plane], want)
		}
	}
	if n := testing.AllocsPerRun(20, func() { e.Encode(block, 3, v.Start(), 1) }); n != 0 {
		t.Errorf("%v, %s: Encode allocates %v times", v, arch, n)
	}
}

func TestEncodeCounters(t *testing.T) {
	e := NewEncoder(international, Config{Arch: MLP})
	block := make([]float32, e.Len())
	for _, c := range []struct {
		quiet, endgame uint8
		occurrences    int
		want           [3]float32
	}{
		{0, 0, 1, [3]float32{0, 0, 0}},
		{25, 16, 2, [3]float32{0.5, 0.5, 0.5}},
		{50, 32, 3, [3]float32{1, 1, 1}},
		{200, 200, 9, [3]float32{1, 1, 1}},
		{0, 0, 0, [3]float32{0, 0, 0}}, // occurrences not known
	} {
		p := international.Start()
		p.Quiet, p.Endgame = c.quiet, c.endgame
		e.Encode(block, 0, p, c.occurrences)
		if got := [3]float32(lane(block, 0)[200:]); got != c.want {
			t.Errorf("quiet %d, endgame %d, occurrences %d: %v, want %v", c.quiet, c.endgame, c.occurrences, got, c.want)
		}
	}
}

// TestEncodeGolden shows the planes of a position to the reader, and holds them still.
func TestEncodeGolden(t *testing.T) {
	b := international.Board
	p := rules.NewPosition(b.Set(31, 32, 37, 46, 5), b.Set(1, 2, 13, 24, 45), b.Set(5, 45), rules.White)
	p.Quiet = 10
	var text strings.Builder
	e := NewEncoder(international, Config{})
	block := make([]float32, e.Len())
	for _, turn := range []rules.Color{rules.White, rules.Black} {
		p.Turn = turn
		fmt.Fprintf(&text, "white men 31 32 37 46, king 5; black men 1 2 13 24, king 45; quiet 10, second time; %s to move\n", turn)
		e.Encode(block, 0, p, 2)
		x := lane(block, 0)
		for plane, name := range []string{"own men", "own kings", "their men", "their kings", "ones", "no progress", "endgame", "repetition"} {
			fmt.Fprintf(&text, "\n%s\n", name)
			for s := range b.Squares() {
				if s%5 == 0 && s/5%2 == 0 {
					text.WriteString("   ")
				}
				fmt.Fprintf(&text, " %-4.3g", x[s*basePlanes+plane])
				if s%5 == 4 {
					text.WriteString("\n")
				}
			}
		}
		text.WriteString("\n")
	}
	golden(t, "testdata/planes.txt", []byte(text.String()))
}

// golden compares got with a file.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs from what the code gives; if that is meant, run the test with -update and review the difference", path)
	}
}
