package train

import (
	"fmt"
	"strings"
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
	{"64x8", net.Config{Channels: 64, Layers: 8}},
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

// BenchmarkParts tells where a step of 512 rows goes: microseconds of CPU time a row, with one thread, for its
// parts as the step runs. They add up to all but what cannot be told from nothing. Blocks and their gradients are
// each one sum.
func BenchmarkParts(b *testing.B) {
	v := international(b)
	samples := randomSamples(v, 512, 1)
	for _, bench := range benchmarkNets {
		b.Run(bench.name, func(b *testing.B) {
			tr := newTrainer(b, newModel(b, v, bench.cfg), Config{Threads: 1})
			step(b, tr, samples)
			spent := map[string]time.Duration{}
			since := func(name string, begun time.Duration) { spent[name] += cpu() - begun }
			s := tr.train.schedule
			for i := range s.tasks {
				t := &s.tasks[i]
				name, pass := t.name, t.pass
				if strings.HasPrefix(name, "block") {
					name = "blocks"
				} else if strings.HasPrefix(name, "policy") {
					name = "heads"
				}
				if strings.HasSuffix(t.name, " gradient") {
					name = strings.TrimSuffix(name, " gradient") + "-gradient"
				}
				t.pass = func(worker, part, block int) {
					defer since(name, cpu())
					pass(worker, part, block)
				}
			}
			for name, do := range map[string]*func(int, int){
				"pack": &s.packDo, "reduce": &s.reduceDo, "norm": &tr.solver.squaresDo, "update": &tr.solver.updateDo,
			} {
				work := *do
				*do = func(worker, i int) {
					defer since(name, cpu())
					work(worker, i)
				}
			}
			begun := cpu()
			for b.Loop() {
				step(b, tr, samples)
			}
			since("all", begun)
			for name, d := range spent {
				b.ReportMetric(float64(d.Nanoseconds())/1e3/float64(b.N*len(samples)), name+"-us/row")
			}
		})
	}
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
