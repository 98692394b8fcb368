package train

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"damier/net"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// cpu returns the CPU time this process has used.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

var benchmarkNets = []struct {
	name string
	cfg  net.Config
}{
	{"48x6", net.Config{Channels: 48, Layers: 6}},
	{"48x4", net.Config{Channels: 48, Layers: 4}},
	{"mlp", net.Config{Arch: net.MLP}},
}

// BenchmarkStep is a whole step of 512 rows with the default settings: encoding, forward, backward, solver.
func BenchmarkStep(b *testing.B) {
	v := international(b)
	samples := randomSamples(v, 512, 1)
	for _, bench := range benchmarkNets {
		b.Run(bench.name, func(b *testing.B) {
			tr := newTrainer(b, newModel(b, v, bench.cfg), Config{})
			step(b, tr, samples)
			b.ReportAllocs()
			before := cpu()
			for b.Loop() {
				step(b, tr, samples)
			}
			rows := float64(b.N * len(samples))
			b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(rows/(cpu()-before).Seconds(), "rows/cpu-s")
		})
	}
}

// BenchmarkParts is one thread's time for the parts of a step of 48x6.
func BenchmarkParts(b *testing.B) {
	v := international(b)
	samples := randomSamples(v, 512, 1)
	tr := newTrainer(b, newModel(b, v, net.Config{}), Config{Threads: 1})
	step(b, tr, samples)
	tr.graph.set(samples)
	p := tr.train.params
	index := map[string]int{}
	for i, m := range tr.model.Params {
		index[m.Name] = i
	}
	value := func(name string) gorgonia.Value { return p[index[name]].Value() }
	g := tr.graph
	x := gorgonia.Value(g.x)
	block := g.blocks[0] // of three; the second has the global bias
	blockWeights := []gorgonia.Value{value("block1.first.weight"), value("block1.first.bias"), value("block1.second.weight"), value("block1.second.bias")}
	headWeights := []gorgonia.Value{
		value("policy.weight"), value("policy.bias"), value("value.hidden.weight"), value("value.hidden.bias"),
		value("value.out.weight"), value("value.out.bias"),
	}
	one := gorgonia.F32(1)
	for _, part := range []struct {
		name string
		op   gorgonia.Op
		in   []gorgonia.Value
	}{
		{"stem", g.stem, []gorgonia.Value{x, value("stem.weight"), value("stem.bias")}},
		{"block", block, append([]gorgonia.Value{g.stem.out}, blockWeights...)},
		{"heads", g.heads, append([]gorgonia.Value{x, g.blocks[2].out}, headWeights...)},
		{"headsGradient", g.heads.back, []gorgonia.Value{g.blocks[2].out, &one, &one, headWeights[0], headWeights[2], headWeights[4]}},
		{"blockGradient", block.back, []gorgonia.Value{g.stem.out, block.out, g.heads.back.result, blockWeights[0], blockWeights[2]}},
		{"stemGradient", g.stem.back, []gorgonia.Value{x, g.stem.out, block.back.result}},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := part.op.Do(part.in...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("blockGradientSums", func(b *testing.B) {
		for b.Loop() {
			block.back.reduced.run(g.batch.workers, floats(g.stem.out), block.middle)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tr.graph.set(samples)
		}
	})
	b.Run("solver", func(b *testing.B) {
		b.ReportAllocs()
		params := slices.Clone(p)
		for b.Loop() {
			if err := tr.solver.Step(params); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkNativeConv2d is what a trunk of 48x6 costs with Gorgonia's own operations: 3x3 convolutions of the
// 10x5 playing squares, forward and backward, without heads, solver and residuals.
func BenchmarkNativeConv2d(b *testing.B) {
	const rows, width, planes = 32, 48, 8
	expr := gorgonia.NewGraph()
	random := gorgonia.WithInit(gorgonia.GlorotN(1))
	h := gorgonia.NewTensor(expr, gorgonia.Float32, 4, gorgonia.WithShape(rows, planes, 10, 5), gorgonia.WithName("x"), random)
	var params gorgonia.Nodes
	in := planes
	var err error
	for i := range 7 {
		w := gorgonia.NewTensor(expr, gorgonia.Float32, 4, gorgonia.WithShape(width, in, 3, 3), gorgonia.WithName(fmt.Sprint("w", i)), random)
		params = append(params, w)
		if h, err = gorgonia.Conv2d(h, w, tensor.Shape{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}); err != nil {
			b.Fatal(err)
		}
		if h, err = gorgonia.Rectify(h); err != nil {
			b.Fatal(err)
		}
		in = width
	}
	loss, err := gorgonia.Sum(h)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := gorgonia.Grad(loss, params...); err != nil {
		b.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(expr)
	defer machine.Close()
	b.ReportAllocs()
	before := cpu()
	for b.Loop() {
		if err := machine.RunAll(); err != nil {
			b.Fatal(err)
		}
		machine.Reset()
	}
	b.ReportMetric(float64(b.N*rows)/(cpu()-before).Seconds(), "rows/cpu-s")
}
