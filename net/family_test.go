package net

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"damier/internal/simd"
	"damier/rules"
)

func lookup(tb testing.TB, name string, o rules.Options) *rules.Variant {
	tb.Helper()
	v, err := rules.Lookup(name, o)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// variants returns all variants with their default options.
func variants(tb testing.TB) []*rules.Variant {
	tb.Helper()
	var all []*rules.Variant
	for _, name := range rules.Names() {
		all = append(all, lookup(tb, name, nil))
	}
	return all
}

// TestFamilyTwin compares small networks of every variant, and all taps that it has, with the float64 twin.
func TestFamilyTwin(t *testing.T) {
	for _, v := range variants(t) {
		for _, cfg := range []Config{
			{Channels: 8, Layers: 2, PolicyRank: 3, ValueHidden: 8},
			{Channels: 8, Layers: 2, Taps: 1 + 2*len(lines(v)), PolicyRank: 3, ValueHidden: 8, NoValueCounts: true},
			{Arch: MLP, Hidden: 16, PolicyRank: 3, ValueHidden: 8},
		} {
			t.Run(v.Name, func(t *testing.T) { compareWithTwin(t, newTestModelOf(t, v, cfg, true)) })
		}
	}
}

// TestTaps: which squares a convolution sees from one in the middle of the board.
func TestTaps(t *testing.T) {
	for _, c := range []struct {
		variant string
		taps    int
		square  rules.Square
		want    []rules.Square
	}{
		{"international", 0, 28, []rules.Square{28, 22, 23, 32, 33}},
		{"international", 9, 28, []rules.Square{28, 22, 23, 32, 33, 17, 19, 37, 39}},
		{"frisian", 0, 28, []rules.Square{28, 22, 23, 32, 33, 18, 27, 29, 38}},
		{"frisian", 5, 28, []rules.Square{28, 22, 23, 32, 33}},
		{"frisian", 13, 28, []rules.Square{28, 22, 23, 32, 33, 18, 27, 29, 38, 17, 19, 37, 39}},
		{"frisian", 17, 28, []rules.Square{28, 22, 23, 32, 33, 18, 27, 29, 38, 17, 19, 37, 39, 8, 26, 30, 48}},
		{"turkish", 0, 28, []rules.Square{28, 20, 27, 29, 36}},
		{"turkish", 9, 28, []rules.Square{28, 20, 27, 29, 36, 12, 26, 30, 44}},
		{"canadian", 0, 1, []rules.Square{1, 0, 0, 7, 8}},
		{"german", 0, 1, []rules.Square{1, 0, 0, 0, 5}},
	} {
		v := lookup(t, c.variant, nil)
		taps := Config{Taps: c.taps}.For(v).Taps
		var got []rules.Square
		for _, i := range neighbours(v, taps)[c.square-1] {
			got = append(got, rules.Square(i+1))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %d taps: %v, want %v", c.variant, taps, got, c.want)
		}
	}
	for name, most := range map[string]int{"russian": 9, "turkish": 9, "frisian": 17} {
		v := lookup(t, name, nil)
		if _, err := NewModel(v, Config{Taps: most}, 1); err != nil {
			t.Errorf("%s, %d taps: %v", name, most, err)
		}
		if _, err := NewModel(v, Config{Taps: most + 4}, 1); err == nil || !strings.Contains(err.Error(), "Taps") {
			t.Errorf("%s, %d taps: %v", name, most+4, err)
		}
	}
}

// TestMirrorTaps: where a board has a mirror it maps the lattice to itself, so that a network can learn it.
func TestMirrorTaps(t *testing.T) {
	for _, v := range variants(t) {
		if !v.HasMirror() {
			continue
		}
		rows := neighbours(v, 9)
		taps := []int{0, 1, 3, 2, 4, 5, 7, 6, 8} // west and east exchanged
		for i, row := range rows {
			s := v.Board.Mirror(rules.Square(i + 1))
			for tap, n := range row {
				got := rows[s-1][taps[tap]]
				if want := v.Board.Mirror(rules.Square(n + 1)); n < 0 && got >= 0 || n >= 0 && got != int(want)-1 {
					t.Errorf("%v: tap %d of square %d and of its mirror lead to %d and %d", v, tap, i, n, got)
				}
			}
		}
	}
}

// TestKingMovePlanes: the planes of Frisian king moves, on the squares of the kings as the network sees them.
func TestKingMovePlanes(t *testing.T) {
	v := lookup(t, "frisian", nil)
	p, err := rules.ParseFEN(v, "W:W31,K46:B20,K5:+105+246")
	if err != nil {
		t.Fatal(err)
	}
	e := NewEncoder(v, Config{})
	block := make([]float32, e.Len())
	e.Encode(block, 0, p, 1)
	x := lane(block, 0)
	const own, their = basePlanes, basePlanes + 1
	for i, value := range x {
		want := float32(0)
		switch [2]int{i/e.planes + 1, i % e.planes} {
		case [2]int{46, own}:
			want = 2. / 3
		case [2]int{5, their}:
			want = 1. / 3
		}
		if plane := i % e.planes; plane >= own && math.Abs(float64(value-want)) > 1e-6 {
			t.Errorf("square %d, plane %d: %v, want %v", i/e.planes+1, plane, value, want)
		}
	}
}

// TestForeignVariant: a model of one variant, or of other options, is refused by every other.
func TestForeignVariant(t *testing.T) {
	small := Config{Channels: 8, Layers: 2, PolicyRank: 3, ValueHidden: 8}
	all := append(variants(t),
		lookup(t, "turkish", rules.Options{"crown": "at-once"}), lookup(t, "frisian", rules.Options{"kings": "strict"}))
	for _, v := range all {
		m, err := NewModel(v, small, 1)
		if err != nil {
			t.Fatal(err)
		}
		e := newTestEvaluator(t, m, simd.Best())
		file := saved(t, m)
		if got, err := Load(bytes.NewReader(file), nil); err != nil || !got.sameNetwork(m) {
			t.Errorf("%v: loaded as %v, %v", v, got, err)
		}
		for _, w := range all {
			got, err := Load(bytes.NewReader(file), w)
			if v == w {
				if err != nil || got.Variant != w {
					t.Errorf("%v: %v", v, err)
				}
				continue
			}
			if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), v.Name) || !strings.Contains(err.Error(), w.Name) {
				t.Errorf("%v into %v: %v", v, w, err)
			}
			other, err := NewModel(w, small, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.SetModel(other); !errors.Is(err, ErrForeign) {
				t.Errorf("weights of %v into an evaluator of %v: %v", w, v, err)
			}
		}
	}
}
