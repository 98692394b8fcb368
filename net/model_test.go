package net

import (
	"math"
	"slices"
	"testing"

	"damier/internal/simd"
)

func TestNewModel(t *testing.T) {
	for name, cfg := range configs {
		a, b, c := newTestModel(t, cfg, false), newTestModel(t, cfg, false), newTestModel(t, cfg, false)
		other, err := NewModel(international, cfg, 8)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for i, l := range a.Architecture().weights() {
			p := a.Params[i]
			n, ok := volume(p.Shape)
			if !ok || n != len(p.Data) {
				t.Errorf("%s: %s has shape %v and %d weights", name, p.Name, p.Shape, len(p.Data))
			}
			size += n
			if !slices.Equal(p.Data, b.Params[i].Data) {
				t.Errorf("%s: %s differs between two models of one seed", name, p.Name)
			}
			zero := slices.Max(p.Data) == 0 && slices.Min(p.Data) == 0
			if (l == nil) != zero {
				t.Errorf("%s: %s: bias %v, but zero %v", name, p.Name, l == nil, zero)
			}
			if l != nil && slices.Equal(p.Data, other.Params[i].Data) {
				t.Errorf("%s: %s is the same for two seeds", name, p.Name)
			}
		}
		if a.Size() != size {
			t.Errorf("%s: size %d, want %d", name, a.Size(), size)
		}
		c = c.Clone()
		c.Params[0].Data[0]++
		if a.Params[0].Data[0] == c.Params[0].Data[0] || &a.Params[0] == &c.Params[0] {
			t.Errorf("%s: a clone shares weights", name)
		}
		if a.Param("stem.weight") == nil || a.Param("nothing") != nil {
			t.Errorf("%s: Param finds the wrong things", name)
		}
		t.Logf("%s: %s", name, a)
	}
}

// TestInitialOutputs: before any training the value is nearly flat and no move is nearly certain, so that
// the first searches do not chase noise.
func TestInitialOutputs(t *testing.T) {
	all := positions(t, 200, 11)
	for _, name := range []string{"lattice 48x6", "mlp 256"} {
		for seed := range uint64(4) {
			m, err := NewModel(international, configs[name], seed)
			if err != nil {
				t.Fatal(err)
			}
			e := newTestEvaluator(t, m, simd.Best())
			ls := leaves(all)
			evaluate(t, e, ls)
			var value, entropy, uniform float64
			for _, l := range ls {
				for _, v := range []float32{l.Value.Win, l.Value.Draw, l.Value.Loss} {
					value = math.Max(value, math.Abs(float64(v)-1./3))
				}
				for _, p := range l.Priors {
					entropy -= float64(p) * math.Log(float64(p)) / float64(len(ls))
				}
				uniform += math.Log(float64(len(l.Priors))) / float64(len(ls))
			}
			t.Logf("%s, seed %d: values within %.3f of 1/3; policy entropy %.3f, uniform %.3f", name, seed, value, entropy, uniform)
			if value > 0.2 || entropy < 0.85*uniform {
				t.Errorf("%s, seed %d: too sure of itself", name, seed)
			}
		}
	}
}
