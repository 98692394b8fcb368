package sparse

import (
	"flag"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/stat"

	"damier/alphabeta"
	"damier/data"
	"damier/learner"
	"damier/learner/settings"
	"damier/net/nnue"
	"damier/rules"
)

var (
	valuesOf    = flag.String("values", "", "run whose recorded values are compared with a longer search")
	valuesJudge = flag.String("values-judge", "", "network of that search")
)

// TestValues is no test: with -values it tells how the values that the newest games of a run teach
// agree with a search by alpha-beta of 20,000 nodes, those of roots and those of positions of trees.
func TestValues(t *testing.T) {
	if *valuesOf == "" {
		t.Skip("a measurement: -values RUN -values-judge FILE compares recorded values with a search")
	}
	r, err := learner.ResolveRun(*valuesOf, Method{}, settings.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.Lookup()
	if err != nil {
		t.Fatal(err)
	}
	m, err := nnue.LoadFile(*valuesJudge, v)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := alphabeta.New(v, alphabeta.Config{Evaluator: m.Evaluator()})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(*valuesOf, "games")
	names, err := data.Shards(dir)
	if err != nil || len(names) == 0 {
		t.Fatalf("%d shards: %v", len(names), err)
	}
	games, err := data.ReadShard(filepath.Join(dir, names[len(names)-1]), v)
	if err != nil {
		t.Fatal(err)
	}

	// pairs are recorded values and those of the search, of each stride-th position without captures.
	type pairs struct {
		stride, seen       int
		recorded, searched []float64
	}
	compare := func(k *pairs, p rules.Position, value float64) {
		if k.seen++; k.seen%k.stride != 0 || len(k.recorded) == 2500 || v.HasCaptures(p) {
			return
		}
		g := rules.NewGameFrom(v, p)
		if g.Over() {
			return
		}
		info, err := judge.Search(t.Context(), g, alphabeta.Limits{Nodes: 20_000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		k.recorded, k.searched = append(k.recorded, value), append(k.searched, judge.Expected(info.Score))
	}
	roots, trees := pairs{stride: 7}, pairs{stride: 29}
	for _, g := range games {
		for _, p := range g.Plies {
			if len(p.Visits) > 0 {
				compare(&roots, p.Position, float64(p.Root.Score()))
			}
			for _, n := range p.Tree {
				compare(&trees, n.Position, float64(n.Value))
			}
		}
	}
	for name, k := range map[string]*pairs{"roots": &roots, "positions of trees": &trees} {
		if len(k.recorded) > 0 {
			_, slope := stat.LinearRegression(k.recorded, k.searched, nil, false)
			t.Logf("%s: %d, correlation %.3f, slope of the search's value on the recorded one %.3f", name, len(k.recorded),
				stat.Correlation(k.recorded, k.searched, nil), slope)
		}
	}
}
