package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"damier/internal/usage"
	"damier/rules"
)

// TestDraw compares Draw with its plain form: a random number and a row, one after the other.
func TestDraw(t *testing.T) {
	w := filledWindow(t, 40, true)
	w.dropGame() // so that the first chunk begins in its middle
	var rows Rows
	for i := range 3 * chunkRows {
		s := w.At(i % w.Len())
		rows.Add(s.Position, s.Score)
	}
	for name, from := range map[string]Source{"window": w, "rows": &rows} {
		for _, n := range []int{0, 1, drawnTogether - 1, drawnTogether, drawnTogether + 1, 1000} {
			got, want := make([]Sample, n), make([]Sample, n)
			Draw(from, rand.New(rand.NewPCG(1, uint64(n))), got)
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			for i := range want {
				want[i] = from.At(rng.IntN(from.Len()))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d samples are not those drawn one by one", name, n)
			}
		}
	}
}

// TestDrawUniform counts how often each row is drawn: chi-squared over n rows has mean n-1 and
// variance 2(n-1).
func TestDrawUniform(t *testing.T) {
	w := filledWindow(t, 40, true)
	w.dropGame() // so that the first chunk begins in its middle
	position := map[rules.Position]float64{}
	for i := range w.Len() {
		position[w.At(i).Position]++
	}
	const draws = 200_000
	counts := map[rules.Position]float64{}
	rng := rand.New(rand.NewPCG(8, 8))
	batch := make([]Sample, 100)
	for range draws / len(batch) {
		Draw(w, rng, batch)
		for i := range batch {
			counts[batch[i].Position]++
		}
	}
	chi := 0.0
	for p, copies := range position {
		want := draws * copies / float64(w.Len())
		chi += (counts[p] - want) * (counts[p] - want) / want
	}
	if n := float64(len(position) - 1); math.Abs(chi-n) > 5*math.Sqrt(2*n) {
		t.Errorf("chi-squared %.0f over %.0f rows", chi, n)
	}
}

func TestDrawAllocs(t *testing.T) {
	w := filledWindow(t, 60, true)
	rng := rand.New(rand.NewPCG(1, 1))
	dst := make([]Sample, 256)
	if n := testing.AllocsPerRun(100, func() { Draw(w, rng, dst) }); n != 0 {
		t.Errorf("%v allocations for 256 samples", n)
	}
}

// BenchmarkDraw draws from rows that fit into the second cache, and from many more than any cache has
// room for.
func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{1 << 14, 1 << 23} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			var rows Rows
			p := international().Start()
			for range n {
				rows.Add(p, 0.5)
			}
			rng, dst := rand.New(rand.NewPCG(1, 1)), make([]Sample, 1024)
			b.ReportAllocs()
			before := usage.CPU()
			for b.Loop() {
				Draw(&rows, rng, dst)
			}
			b.ReportMetric((usage.CPU()-before)*1e9/float64(b.N*len(dst)), "cpu-ns/row")
		})
	}
}
