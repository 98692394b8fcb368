package mcts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// BenchmarkSearch measures whole searches with an evaluator that costs next to nothing: what is left is
// the tree, the rules and Start. The position is one of the middle game, 20 random plies from the start.
func BenchmarkSearch(b *testing.B) {
	g := randomGame(rand.New(rand.NewPCG(1, 1)), 20)
	even := rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
	ev := evalFunc(func(l *Leaf) {
		p := 1 / float32(len(l.Priors))
		for i := range l.Priors {
			l.Priors[i] = p
		}
		l.Value = even
	})
	for _, root := range []Root{Gumbel, PUCT} {
		for _, n := range []int{8, 32, 200, 800} {
			for _, batch := range []int{1, 32} {
				b.Run(fmt.Sprintf("%s/simulations=%d/batch=%d", root, n, batch), func(b *testing.B) {
					s := NewSearch(rules.International, Config{Root: root})
					rng := rand.New(rand.NewPCG(2, 2))
					b.ReportAllocs()
					for b.Loop() {
						s.Start(g, Budget{Simulations: n, Noise: 1}, rng)
						if _, err := s.Run(context.Background(), ev, batch); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/simulation")
				})
			}
		}
	}
}
