package selfplay

import (
	"testing"

	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// free is an evaluator that costs almost nothing.
var free = evalFunc(func(l *mcts.Leaf) {
	p := 1 / float32(len(l.Priors))
	for i := range l.Priors {
		l.Priors[i] = p
	}
	l.Value = rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
})

// Simulations allocate nothing: a move with 200 of them takes no more than one with 20. A ply
// allocates its record: moves, visits, priors, values, and its share of the list of plies.
func TestAllocations(t *testing.T) {
	perSearch := func(visits string) float64 {
		cfg := Config{Visits: []string{visits}, TreeRows: -1, RandomShare: -1}
		a := newActor(t, cfg, nil)
		a.SetModel(searcherOf(t, v, cfg, free), "m", 1)
		run := func(moves int) {
			if err := a.Run(t.Context(), after(moves), func(data.Game) {}); err != nil {
				t.Fatal(err)
			}
		}
		run(150) // let all slices grow
		a.TakeStats()
		allocations := testing.AllocsPerRun(1, func() { a.TakeStats(); run(100) })
		return allocations / float64(a.TakeStats().Searches)
	}
	few, many := perSearch("0:20"), perSearch("0:200")
	if many > 12 || many > few+3 {
		t.Errorf("%.1f allocations for a search of 20 simulations, %.1f for one of 200", few, many)
	}
}

// BenchmarkActor measures self-play with an evaluator that costs almost nothing, so it times the
// tree, the rules and the records.
func BenchmarkActor(b *testing.B) {
	a := newActor(b, Config{}, nil)
	a.SetModel(searcherOf(b, v, Config{}, free), "m", 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := a.Run(b.Context(), after(100), func(data.Game) {}); err != nil {
			b.Fatal(err)
		}
	}
	s := a.TakeStats()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(s.Simulations), "ns/simulation")
	b.ReportMetric(float64(s.Simulations)/b.Elapsed().Seconds(), "simulations/s")
}
