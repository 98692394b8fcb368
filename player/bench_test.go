package player

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"damier/mcts"
	"damier/net"
	"damier/rules"
)

// BenchmarkParallel measures a search of one game by the network that comes with the program on one core and on
// more, leaf by leaf: 2,000 simulations of the start, no cache.
func BenchmarkParallel(b *testing.B) {
	v := rules.International
	m, err := net.LoadFile("../models/international.safetensors", v)
	if err != nil {
		b.Fatal(err)
	}
	const simulations = 2000
	for cores := 1; cores <= runtime.GOMAXPROCS(0); cores *= 2 {
		for _, root := range []mcts.Root{mcts.PUCT, mcts.Gumbel} {
			b.Run(fmt.Sprintf("%s/cores=%d", root, cores), func(b *testing.B) {
				evs, err := Evaluators(m, net.Float32, cores)
				if err != nil {
					b.Fatal(err)
				}
				s := mcts.NewSearch(v, mcts.Config{Root: root})
				g := rules.NewGame(v)
				for b.Loop() {
					s.Start(g, mcts.Budget{Simulations: simulations}, nil)
					if _, err := s.RunParallel(b.Context(), evs, 1, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(math.Round(float64(b.N*simulations)/b.Elapsed().Seconds()), "simulations/s")
			})
		}
	}
}
