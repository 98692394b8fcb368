package mcts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// opinion is an evaluator that costs little and tells positions and moves apart, as a network
// does: trees by it are narrow and deep, those by uniform broad and flat.
func opinion(l *Leaf) {
	x := l.Position.Key()
	sum := float32(0)
	for i := range l.Priors {
		x = x*6364136223846793005 + 1442695040888963407
		r := float32(x>>40) / (1 << 24)
		p := 0.02 + r*r*r*r
		l.Priors[i] = p
		sum += p
	}
	for i := range l.Priors {
		l.Priors[i] /= sum
	}
	win := float32(x>>33) / (1 << 31)
	l.Value = rules.WDL{Win: 0.2 + 0.2*win, Draw: 0.4, Loss: 0.4 - 0.2*win}
}

// BenchmarkSimulation measures one simulation without a network, as part of searches of that many:
// whole searches, Start and Result included, in a middle game 20 random plies from the start. On a
// machine with other work cpu-ns/simulation is the figure to read.
func BenchmarkSimulation(b *testing.B) {
	g := randomGame(rand.New(rand.NewPCG(1, 1)), 20)
	for _, e := range []struct {
		name string
		eval evalFunc
	}{{"uniform", uniform}, {"opinion", opinion}} {
		for _, n := range []int{800, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/simulations=%d", e.name, n), func(b *testing.B) {
				benchmarkSearch(b, g, Config{Root: PUCT}, e.eval, n, 1)
			})
		}
	}
}

// BenchmarkSearch measures searches as self-play and play make them, with an evaluator that costs
// next to nothing.
func BenchmarkSearch(b *testing.B) {
	g := randomGame(rand.New(rand.NewPCG(1, 1)), 20)
	for _, root := range []Root{Gumbel, PUCT} {
		for _, n := range []int{8, 32, 200, 800} {
			for _, batch := range []int{1, 32} {
				b.Run(fmt.Sprintf("%s/simulations=%d/batch=%d", root, n, batch), func(b *testing.B) {
					benchmarkSearch(b, g, Config{Root: root}, uniform, n, batch)
				})
			}
		}
	}
}

func benchmarkSearch(b *testing.B, g *rules.Game, cfg Config, eval evalFunc, n, batch int) {
	s := NewSearch(rules.International, cfg)
	rng := rand.New(rand.NewPCG(2, 2))
	search := func() {
		s.Start(g, Budget{Simulations: n, Noise: 1}, rng)
		if _, err := s.Run(context.Background(), eval, batch); err != nil {
			b.Fatal(err)
		}
	}
	search() // makes the slabs
	b.ReportAllocs()
	begun := cpuTime()
	for b.Loop() {
		search()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/simulation")
	b.ReportMetric(float64(cpuTime()-begun)/float64(b.N*n), "cpu-ns/simulation")
}
