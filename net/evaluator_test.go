package net

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"damier/internal/simd"
	"damier/mcts"
)

func newTestEvaluator(tb testing.TB, m *Model, level simd.Level) *Evaluator {
	tb.Helper()
	e, err := NewEvaluator(m, level)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func evaluate(tb testing.TB, e *Evaluator, ls []mcts.Leaf) {
	tb.Helper()
	if err := e.Evaluate(context.Background(), ls); err != nil {
		tb.Fatal(err)
	}
}

// TestEvaluatorTwin compares logits and probabilities of every level with the float64 twin. With -model FILE
// (seen from this folder) it does so for the weights of a real run, too.
func TestEvaluatorTwin(t *testing.T) {
	for name, cfg := range configs {
		t.Run(name+"/initial", func(t *testing.T) { compareWithTwin(t, newTestModel(t, cfg, false)) })
		t.Run(name+"/grown", func(t *testing.T) { compareWithTwin(t, newTestModel(t, cfg, true)) })
	}
	if *trained != "" {
		t.Run("trained", func(t *testing.T) {
			m, err := LoadFile(*trained, nil)
			if err != nil {
				t.Fatal(err)
			}
			compareWithTwin(t, m)
		})
	}
}

func compareWithTwin(t *testing.T, m *Model) {
	const n = 40 // a full block, and eight alone
	twin := NewReference(m)
	all := positionsOf(t, m.Variant, n, 2)
	var want []ReferenceOutput
	scale := 1.0
	for _, s := range all {
		o := twin.Forward(s.position, s.occurrences, s.moves)
		want = append(want, o)
		for _, l := range append(slices.Clone(o.Logits), o.Value[:]...) {
			scale = math.Max(scale, math.Abs(l))
		}
	}
	for _, level := range simd.Levels() {
		e := newTestEvaluator(t, m, level)
		ls := leaves(all)
		evaluate(t, e, ls)
		worst := 0.0
		check := func(what string, i int, got, want float64) {
			d := math.Abs(got - want)
			worst = math.Max(worst, d)
			if !(d <= 1e-4*scale) {
				t.Fatalf("%v: position %d: %s %v, want %v", level, i, what, got, want)
			}
		}
		for i, l := range ls {
			check("win", i, float64(l.Value.Win), want[i].WDL[0])
			check("draw", i, float64(l.Value.Draw), want[i].WDL[1])
			check("loss", i, float64(l.Value.Loss), want[i].WDL[2])
			check("sum of the value", i, float64(l.Value.Win+l.Value.Draw+l.Value.Loss), 1)
			sum := 0.0
			for j, p := range l.Priors {
				check("prior", i, float64(p), want[i].Priors[j])
				sum += float64(p)
				// Ratios of priors are the differences of logits.
				if p > 1e-9 && l.Priors[0] > 1e-9 {
					check("logit", i, math.Log(float64(p)/float64(l.Priors[0])), want[i].Logits[j]-want[i].Logits[0])
				}
			}
			check("sum of the priors", i, sum, 1)
		}
		for k := range 3 { // the value logits of the block, and of the last one alone, are still there
			for i := range simd.Lanes {
				check("value logit", i, float64(e.wdl[k*simd.Lanes+i]), want[i].Value[k])
			}
			check("value logit", n-1, float64(e.board.wdl[k]), want[n-1].Value[k])
		}
		if got := e.Stats(); got.Blocks != 1 || got.Boards != 8 || got.Leaves != n || got.Fill() != 1 {
			t.Errorf("stats are %+v with fill %v after %d leaves", got, got.Fill(), n)
		}
		t.Logf("%v: logits up to %.2f, largest difference %.1e", level, scale, worst)
	}
}

// TestEvaluatorTurned: a position and its half turn with the colours exchanged are judged the same.
func TestEvaluatorTurned(t *testing.T) {
	for name, cfg := range configs {
		e := newTestEvaluator(t, newTestModel(t, cfg, true), simd.Best())
		for i, s := range positions(t, 20, 3) {
			p := international.Rotate(s.position)
			q := seen{p, s.occurrences, international.AppendMoves(nil, p)}
			ls := leaves([]seen{s, q})
			evaluate(t, e, ls)
			slices.Sort(ls[0].Priors)
			slices.Sort(ls[1].Priors)
			for j, prior := range ls[0].Priors {
				// The order of summation is that of the moves, so not to the bit.
				if math.Abs(float64(prior-ls[1].Priors[j])) > 1e-6 {
					t.Fatalf("%s: position %d: priors %v and %v", name, i, ls[0].Priors, ls[1].Priors)
				}
			}
			if ls[0].Value != ls[1].Value {
				t.Fatalf("%s: position %d: values %v and %v", name, i, ls[0].Value, ls[1].Value)
			}
		}
	}
}

// TestEvaluatorLanes: the same bits come out of every lane, whatever the other lanes hold, and for a position alone.
func TestEvaluatorLanes(t *testing.T) {
	for name, cfg := range configs {
		for _, level := range simd.Levels() {
			e := newTestEvaluator(t, newTestModel(t, cfg, true), level)
			all := positions(t, simd.Lanes, 4)
			alone := leaves(all[:1])
			evaluate(t, e, alone)
			step := 1
			if level == simd.Generic {
				step = 9 // it is slow
			}
			for n := 0; n < simd.Lanes; n += step {
				mixed := slices.Clone(all)
				mixed[0], mixed[n] = mixed[n], mixed[0]
				ls := leaves(mixed)
				evaluate(t, e, ls)
				if ls[n].Value != alone[0].Value || !slices.Equal(ls[n].Priors, alone[0].Priors) {
					t.Fatalf("%s, %v: lane %d gives %v, a block of one %v", name, level, n, ls[n].Value, alone[0].Value)
				}
			}
		}
	}
}

func TestEvaluatorSetModel(t *testing.T) {
	all := positions(t, 5, 6)
	for name, cfg := range configs {
		one, two := newTestModel(t, cfg, false), newTestModel(t, cfg, true)
		e := newTestEvaluator(t, one, simd.Best())
		want, got := leaves(all), leaves(all)
		evaluate(t, newTestEvaluator(t, two, simd.Best()), want)
		evaluate(t, e, got)
		if got[0].Value == want[0].Value {
			t.Fatalf("%s: two models give the same value", name)
		}
		if err := e.SetModel(two); err != nil {
			t.Fatal(err)
		}
		for i := range two.Params { // the evaluator has a copy
			clear(two.Params[i].Data)
		}
		evaluate(t, e, got)
		for i := range got {
			if got[i].Value != want[i].Value || !slices.Equal(got[i].Priors, want[i].Priors) {
				t.Fatalf("%s: position %d differs from a new evaluator of the model", name, i)
			}
		}
		other := newTestModel(t, Config{Channels: 8}, false)
		if err := e.SetModel(other); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: SetModel of another network: %v, want ErrForeign", name, err)
		}
	}
}

func TestEvaluatorErrors(t *testing.T) {
	m := newTestModel(t, configs["lattice nine"], false)
	if _, err := NewEvaluator(m, simd.Level(99)); err == nil {
		t.Error("an evaluator for a level that does not exist")
	}
	e := newTestEvaluator(t, m, simd.Best())
	ls := leaves(positions(t, 3, 7))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Evaluate(ctx, ls); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := e.Evaluate(context.Background(), nil); err != nil {
		t.Errorf("no leaves: %v", err)
	}
	for _, name := range []string{"policy.bias", "value.out.bias", "stem.weight"} {
		bad := m.Clone()
		bad.Param(name)[0] = float32(math.NaN())
		if err := e.SetModel(bad); err != nil {
			t.Fatal(err)
		}
		ls := leaves(positions(t, 40, 7))
		if err := e.Evaluate(context.Background(), ls); !errors.Is(err, ErrNotFinite) {
			t.Errorf("NaN in %s: %v, want ErrNotFinite", name, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a leaf without moves is taken")
		}
	}()
	ls[0].Moves = nil
	_ = e.Evaluate(context.Background(), ls)
}

func TestEvaluatorAllocs(t *testing.T) {
	ls := leaves(positions(t, 40, 8))
	for name, cfg := range configs {
		e := newTestEvaluator(t, newTestModel(t, cfg, false), simd.Best())
		ctx := context.Background()
		if n := testing.AllocsPerRun(3, func() { _ = e.Evaluate(ctx, ls) }); n != 0 {
			t.Errorf("%s: Evaluate allocates %v times", name, n)
		}
	}
}

func TestExp(t *testing.T) {
	for x := float32(0); x >= -87; x -= 0.0037 {
		got, want := float64(exp(x)), math.Exp(float64(x))
		if math.Abs(got-want) > 2e-7*want {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if exp(0) != 1 || exp(-88) != 0 || exp(float32(math.Inf(-1))) != 0 || exp(float32(math.NaN())) == exp(float32(math.NaN())) {
		t.Error("exp is wrong at 0, far below it, or at NaN")
	}
}

// BenchmarkEvaluate evaluates full blocks: encoding, network, priors and value.
func BenchmarkEvaluate(b *testing.B) {
	ls := leaves(positions(b, 4*simd.Lanes, 9))
	for _, name := range []string{"lattice 48x6", "mlp 256"} {
		for _, level := range simd.Levels() {
			b.Run(fmt.Sprintf("%s/%v", name, level), func(b *testing.B) {
				e := newTestEvaluator(b, newTestModel(b, configs[name], false), level)
				ctx := context.Background()
				b.ReportAllocs()
				for b.Loop() {
					if err := e.Evaluate(ctx, ls); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*len(ls))/b.Elapsed().Seconds(), "evals/s")
			})
		}
	}
}

// BenchmarkBoards evaluates full blocks of boards of every size, with the network of default size.
func BenchmarkBoards(b *testing.B) {
	for _, name := range []string{"russian", "international", "turkish", "canadian", "frisian"} {
		v := lookup(b, name, nil)
		ls := leaves(positionsOf(b, v, 4*simd.Lanes, 9))
		b.Run(fmt.Sprintf("%s %d squares", name, v.Board.Squares()), func(b *testing.B) {
			e := newTestEvaluator(b, newTestModelOf(b, v, Config{}, false), simd.Best())
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Evaluate(ctx, ls); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(ls))/b.Elapsed().Seconds(), "evals/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ls)*v.Board.Squares()), "ns/square")
		})
	}
}

// BenchmarkBatch evaluates batches of any size; what they cost should be in proportion.
func BenchmarkBatch(b *testing.B) {
	for _, name := range []string{"lattice 48x6", "mlp 256"} {
		for _, n := range []int{1, 4, 8, 16, 31, 32} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				ls := leaves(positions(b, n, 9))
				e := newTestEvaluator(b, newTestModel(b, configs[name], false), simd.Best())
				ctx := context.Background()
				for b.Loop() {
					if err := e.Evaluate(ctx, ls); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "evals/s")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	all := positions(b, simd.Lanes, 9)
	for _, arch := range []string{Lattice, MLP} {
		b.Run(arch, func(b *testing.B) {
			e := NewEncoder(international, Config{Arch: arch})
			block := make([]float32, e.Len())
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Encode(block, i, all[i].position, all[i].occurrences)
				i = (i + 1) % simd.Lanes
			}
		})
	}
}
