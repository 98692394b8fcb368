package train

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"damier/nnue"
)

// TestSparseMatchesSolver: the graph and the solver that is written by hand learn the same.
func TestSparseMatchesSolver(t *testing.T) {
	v := variant(t, "international")
	m := scattered(v, 64)
	samples := sparseSamples(v, 5*SparseBatch+11, 5)
	tr := newSparse(t, m, Config{LearningRate: 1e-3, WeightDecay: 0.02})
	solver := nnue.NewSolver(m)
	solver.Rate, solver.Decay = 1e-3, 0.02
	sum := 0.0
	for i := range samples {
		samples[i].Weight = 1 // the other knows no other
	}
	for part := range slices.Chunk(samples, SparseBatch) {
		var examples []nnue.Example
		for _, s := range part {
			examples = append(examples, nnue.Example{Position: s.Position, Target: s.Value.Score()})
		}
		sum += solver.Learn(examples)
	}
	if loss := stepSparse(t, tr, samples); !near(loss.Value, sum/float64(len(samples)), 0) {
		t.Errorf("loss %g, the other's %g", loss.Value, sum/float64(len(samples)))
	}
	for i, got := range tr.Weights().Tensors() {
		want := m.Tensors()[i].Data
		for j, x := range got.Data {
			if math.Abs(float64(x-want[j])) > 2e-5 { // a step changes a weight by 1e-3, those of outputs by 4e-3
				t.Fatalf("%s[%d] is %g, the other's %g", got.Name, j, x, want[j])
			}
		}
	}
}

// BenchmarkSparseSolver is BenchmarkSparse of the solver that is written by hand.
func BenchmarkSparseSolver(b *testing.B) {
	v := variant(b, "international")
	samples := sparseSamples(v, 64*SparseBatch, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := nnue.NewSolver(nnue.New(v, nnue.Width, 1))
	s.Rate = 0.001
	var room [SparseBatch]nnue.Example
	measureSparse(b, len(samples), func() {
		for part := range slices.Chunk(samples, SparseBatch) {
			for j := range part {
				room[j] = nnue.Example{Position: part[j].Position, Target: part[j].Value.Score()}
			}
			s.Learn(room[:len(part)])
		}
	})
}
