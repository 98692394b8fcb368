package net

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"damier/internal/simd"
)

// TestEvaluatorBits holds the outputs of international networks still, to the last bit: a network means what it
// meant when it was trained. Both vector levels multiply and add in the same order, so they give the same bits.
// With -model FILE it shows the sum of that model, to be compared between two versions of the program.
func TestEvaluatorBits(t *testing.T) {
	best := simd.Best()
	if best < simd.AVX2 {
		t.Log("pure Go rounds otherwise on each architecture: only the twin holds it")
		return
	}
	ls := leaves(positions(t, 70, 11))
	sum := func(m *Model, level simd.Level) string {
		e := newTestEvaluator(t, m, level)
		evaluate(t, e, ls)
		h := fnv.New64a()
		put := func(x float32) {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		for _, l := range ls {
			put(l.Value.Win)
			put(l.Value.Draw)
			put(l.Value.Loss)
			for _, p := range l.Priors {
				put(p)
			}
		}
		return fmt.Sprintf("%016x", h.Sum64())
	}
	var names []string
	for name := range configs {
		names = append(names, name)
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		m := newTestModel(t, configs[name], true)
		want := sum(m, simd.AVX2)
		if got := sum(m, best); got != want {
			t.Errorf("%s: %v gives other bits than %v", name, best, simd.AVX2)
		}
		fmt.Fprintf(&text, "%s: %s\n", name, want)
	}
	golden(t, "testdata/bits.txt", []byte(text.String()))
	if *trained != "" {
		m, err := LoadFile(*trained, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s", *trained, sum(m, best))
	}
}
