package net

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"damier/internal/simd"
	"damier/mcts"
	"damier/rules"
)

// played returns n leaves of games that the evaluator's network plays against itself, by its policy alone.
func played(tb testing.TB, e *Evaluator, n int, seed uint64) []mcts.Leaf {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	var ls []mcts.Leaf
	for len(ls) < n {
		g := rules.NewGame(e.model.Variant)
		for i := 0; !g.Over() && i < 150; i++ {
			leaf := []mcts.Leaf{{
				Position: g.Position(), Moves: slices.Clone(g.Legal()), Occurrences: g.Occurrences(),
				Priors: make([]float32, len(g.Legal())),
			}}
			evaluate(tb, e, leaf)
			if rng.IntN(10) == 0 {
				ls = append(ls, leaf[0])
			}
			choice, rest := 0, rng.Float32()
			for choice < len(leaf[0].Priors)-1 && rest >= leaf[0].Priors[choice] {
				rest -= leaf[0].Priors[choice]
				choice++
			}
			if err := g.Play(leaf[0].Moves[choice]); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return ls[:n]
}

// difference is how far evaluations lie apart.
type difference struct {
	policy float64 // mean total variation of the policies, in [0,1]
	best   float64 // share of positions with the same best move
	value  float64 // mean difference of the expected scores
	worst  float64 // 99th percentile of that
}

func (d difference) String() string {
	return fmt.Sprintf("policy %.4f apart, the same best move in %.2f %%, score %.4f apart, 99 %% within %.4f", d.policy, 100*d.best, d.value, d.worst)
}

func compare(a, b []mcts.Leaf) difference {
	var d difference
	var scores []float64
	for i := range a {
		best := func(p []float32) int {
			n := 0
			for j := range p {
				if p[j] > p[n] {
					n = j
				}
			}
			return n
		}
		for j, p := range a[i].Priors {
			d.policy += math.Abs(float64(p-b[i].Priors[j])) / 2
		}
		if best(a[i].Priors) == best(b[i].Priors) {
			d.best++
		}
		s := math.Abs(float64(a[i].Value.Score() - b[i].Value.Score()))
		d.value += s
		scores = append(scores, s)
	}
	slices.Sort(scores)
	n := float64(len(a))
	return difference{d.policy / n, d.best / n, d.value / n, scores[len(scores)*99/100]}
}

// again returns the same leaves, to be evaluated anew.
func again(ls []mcts.Leaf) []mcts.Leaf {
	ls = slices.Clone(ls)
	for i := range ls {
		ls[i].Priors, ls[i].Value = make([]float32, len(ls[i].Priors)), rules.WDL{}
	}
	return ls
}

// quantized returns an evaluator of m in integers.
func quantized(tb testing.TB, m *Model, level simd.Level) *Evaluator {
	tb.Helper()
	es, err := NewEvaluators(m, level, Int8, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return es[0]
}

// TestInt8Accuracy: in positions of games the networks that come with the program judge in integers nearly as in floats.
func TestInt8Accuracy(t *testing.T) {
	for variant, n := range map[string]int{"international": 2000, "frisian": 200, "russian": 200, "turkish": 200, "canadian": 100} {
		m, err := LoadFile("../models/"+variant+".safetensors", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := played(t, newTestEvaluator(t, m, simd.Best()), n, 1)
		got := again(want)
		evaluate(t, quantized(t, m, simd.Best()), got)
		d := compare(want, got)
		t.Logf("%s, %d positions: %v", variant, n, d)
		if d.policy > 0.04 || d.best < 0.94 || d.value > 0.012 || d.worst > 0.08 {
			t.Errorf("%s: in integers %v", variant, d)
		}
	}
}

// TestInt8Shapes: networks of odd shapes, with random weights, are computed in integers as in floats but for rounding, and
// at all levels alike.
func TestInt8Shapes(t *testing.T) {
	for name, cfg := range configs {
		if cfg.Arch == MLP {
			continue
		}
		m := newTestModel(t, cfg, true)
		// An output channel of the block with the global sight has that alone.
		first := m.Param("block1.first.weight")
		for i := 3; i < len(first); i += m.Config.Channels {
			first[i] = 0
		}
		want := leaves(positions(t, 100, 3))
		evaluate(t, newTestEvaluator(t, m, simd.Best()), want)
		var best []mcts.Leaf
		for _, level := range simd.Levels() {
			got := again(want)
			evaluate(t, quantized(t, m, level), got)
			if d := compare(want, got); d.policy > 0.06 || d.value > 0.06 {
				t.Errorf("%s, %v: in integers %v", name, level, d)
			}
			// The layers that are floats differ by rounding, and may tip an integer.
			if best == nil {
				best = got
			} else if d := compare(best, got); d.policy > 1e-3 || d.value > 1e-3 {
				t.Errorf("%s: %v differs from plain Go: %v", name, level, d)
			}
		}
	}
}

// TestInt8Evaluator: a leaf is judged alone as among others, at every run, after a change of the model and without
// allocation; what cannot be computed is refused.
func TestInt8Evaluator(t *testing.T) {
	one, two := newTestModel(t, configs["lattice nine"], true), newTestModel(t, configs["lattice nine"], false)
	want := leaves(positions(t, 50, 4))
	e := quantized(t, one, simd.Best())
	evaluate(t, e, want)
	other := quantized(t, two, simd.Best())
	if err := other.SetModel(one); err != nil {
		t.Fatal(err)
	}
	got := again(want)
	for i := range got {
		evaluate(t, other, got[i:i+1])
	}
	for i := range got {
		if got[i].Value != want[i].Value || !slices.Equal(got[i].Priors, want[i].Priors) {
			t.Fatalf("leaf %d: %v alone and after another model, %v among others", i, got[i].Value, want[i].Value)
		}
	}
	if s := other.Stats(); s.Fill() != 1 || s.Leaves != 50 {
		t.Errorf("stats %+v", s)
	}
	if n := testing.AllocsPerRun(5, func() { evaluate(t, e, got) }); n != 0 {
		t.Errorf("Evaluate allocates %v times", n)
	}

	recorded := []Situation{{want[0].Position, 1}, {want[1].Position, 2}}
	a, err := Quantize(one, recorded)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Quantize(one, nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(a.scales, b.scales) {
		t.Error("the situations given do not matter")
	}
	if _, err := b.NewEvaluator(simd.Level(99)); err == nil {
		t.Error("level 99 is taken")
	}
	if _, err := Quantize(newTestModel(t, configs["mlp 256"], false), nil); err == nil {
		t.Error("an MLP is quantised")
	}
	es, err := NewEvaluators(newTestModel(t, configs["mlp 256"], false), simd.Best(), Int8, 2)
	if err != nil || len(es) != 2 || es[0].int8 != nil {
		t.Errorf("an MLP in int8: %v", err)
	}
	two.Params[0].Data[0] = float32(math.NaN())
	for _, situations := range [][]Situation{nil, recorded} {
		if _, err := Quantize(two, situations); !errors.Is(err, ErrNotFinite) {
			t.Errorf("error %v with a weight that is no number", err)
		}
	}
}

func TestParsePrecision(t *testing.T) {
	for _, p := range []Precision{Float32, Int8} {
		if got, err := ParsePrecision(p.String()); got != p || err != nil {
			t.Errorf("%v: %v, %v", p, got, err)
		}
	}
	if p, err := ParsePrecision(""); p != Float32 || err != nil {
		t.Errorf("\"\": %v, %v", p, err)
	}
	if _, err := ParsePrecision("int4"); err == nil {
		t.Error("int4 is taken")
	}
}

// BenchmarkPrecision evaluates full blocks in both precisions: encoding, network, priors and value.
func BenchmarkPrecision(b *testing.B) {
	ls := leaves(positions(b, 4*simd.Lanes, 9))
	for _, size := range []Config{{Channels: 32, Layers: 4}, {Channels: 48, Layers: 4}, {Channels: 64, Layers: 6}, {Channels: 64, Layers: 8}} {
		m := newTestModel(b, size, false)
		for _, level := range simd.Levels() {
			for _, p := range []Precision{Float32, Int8} {
				name := level.String()
				if p == Int8 {
					name = level.Int8Name()
				}
				b.Run(fmt.Sprintf("%dx%d/%v/%s", size.Channels, size.Layers, p, name), func(b *testing.B) {
					es, err := NewEvaluators(m, level, p, 1)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					start := cpuSeconds()
					for b.Loop() {
						evaluate(b, es[0], ls)
					}
					b.ReportMetric(float64(b.N*len(ls))/(cpuSeconds()-start), "evals/cpu-s")
				})
			}
		}
	}
}

func BenchmarkQuantize(b *testing.B) {
	m := newTestModel(b, Config{}, false)
	for b.Loop() {
		if _, err := Quantize(m, nil); err != nil {
			b.Fatal(err)
		}
	}
}
