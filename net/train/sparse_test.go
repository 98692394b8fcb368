package train

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"damier/data"
	"damier/internal/simd"
	"damier/internal/usage"
	"damier/net"
	"damier/net/nnue"
	"damier/rules"
)

func variant(t testing.TB, name string) *rules.Variant {
	t.Helper()
	v, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// sparseSamples returns positions of random games with random scores.
func sparseSamples(v *rules.Variant, n int, seed uint64) []data.Sample {
	rng := rand.New(rand.NewPCG(seed, 24))
	var all []data.Sample
	for len(all) < n {
		p := v.Start()
		for range 120 {
			moves := v.AppendMoves(nil, p)
			if len(moves) == 0 {
				break
			}
			p = v.Play(p, moves[rng.IntN(len(moves))])
			if rng.IntN(4) == 0 {
				all = append(all, data.Sample{Position: p, Score: rng.Float32()})
			}
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// near reports whether a and b differ by at most 1e-4 of scale or of their own size.
func near(a, b, scale float64) bool {
	return math.Abs(a-b) <= 1e-4*math.Max(scale, math.Abs(b))
}

func newSparse(t testing.TB, m *nnue.Model, cfg Config) *Sparse {
	t.Helper()
	tr, err := NewSparse(m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func stepSparse(t testing.TB, tr *Sparse, samples []data.Sample) Loss {
	t.Helper()
	l, err := tr.Step(samples, 1)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// scattered returns a model whose activations cover the whole clipping range.
func scattered(v *rules.Variant, width int) *nnue.Model {
	m := nnue.New(v, width, 1)
	rng := rand.New(rand.NewPCG(7, uint64(width)))
	for _, x := range [][]float32{m.Hidden, m.Output, m.Bias} {
		for i := range x {
			x[i] += float32(rng.NormFloat64()) * 0.1
		}
	}
	return m
}

// sparseTwin is the loss of samples in float64, square by square and unit by unit.
func sparseTwin(hidden, output, bias []float64, v *rules.Variant, width int, samples []data.Sample) float64 {
	n := v.Board.Squares()
	start := 0
	for s := rules.Square(1); int(s) <= n; s++ {
		if v.Piece(v.Start(), s) != rules.Empty {
			start++
		}
	}
	kinds := [2]map[rules.Piece]int{
		{rules.WhiteMan: 0, rules.BlackMan: 1, rules.WhiteKing: 2, rules.BlackKing: 3},
		{rules.WhiteMan: 1, rules.BlackMan: 0, rules.WhiteKing: 3, rules.BlackKing: 2},
	}
	sum := 0.0
	for _, s := range samples {
		p := s.Position
		if p.Turn == rules.Black {
			p = v.Rotate(p)
		}
		var sums [2][]float64
		pieces := 0
		for view := range sums {
			sums[view] = slices.Clone(hidden[4*n*width:])
			pieces = 0
			for square := rules.Square(1); int(square) <= n; square++ {
				kind, there := kinds[view][v.Piece(p, square)]
				if !there {
					continue
				}
				pieces++
				at := int(square) - 1
				if view == 1 {
					at = n - int(square)
				}
				for unit := range width {
					sums[view][unit] += hidden[(kind*n+at)*width+unit]
				}
			}
		}
		phase := min(nnue.Outputs*pieces/start, nnue.Outputs-1)
		z := bias[phase]
		for view := range sums {
			for unit, x := range sums[view] {
				x = min(max(x, 0), 1)
				z += x * x * output[(phase*2+view)*width+unit]
			}
		}
		y, target := 1/(1+math.Exp(-z)), float64(s.Score)
		sum -= target*math.Log(y) + (1-target)*math.Log(1-y)
	}
	return sum / float64(len(samples))
}

// TestSparseGradient compares the loss with that of the twin, and the gradient of weights with the
// twin's central differences, in every kind of board and at every level.
func TestSparseGradient(t *testing.T) {
	for _, name := range []string{"international", "english", "turkish", "spanish"} {
		v := variant(t, name)
		const width = 32
		m := scattered(v, width)
		samples := sparseSamples(v, 24, 3)
		var wide [3][]float64
		for i, p := range m.Tensors() {
			for _, x := range p.Data {
				wide[i] = append(wide[i], float64(x))
			}
		}
		loss := func() float64 { return sparseTwin(wide[0], wide[1], wide[2], v, width, samples) }
		want := loss()
		for _, level := range simd.Levels() {
			tr := newSparse(t, m, Config{Threads: 2, Level: level.String()})
			got := tr.train.run(samples) / float64(len(samples))
			if !near(got, want, 0) {
				t.Errorf("%s, %v: loss %g, the twin's %g", name, level, got, want)
			}
			if held, err := tr.Evaluate(samples); err != nil || !near(held.Value, want, 0) {
				t.Errorf("%s, %v: loss without gradients %g, the twin's %g: %v", name, level, held.Value, want, err)
			}
			rng := rand.New(rand.NewPCG(9, 9))
			checked := 0
			for i, gradient := range tr.solver.grads {
				for range min(100, len(gradient)) {
					j := rng.IntN(len(gradient))
					const h = 1e-5
					was := wide[i][j]
					wide[i][j] = was + h
					up := loss()
					wide[i][j] = was - h
					down := loss()
					wide[i][j] = was
					slope := (up - down) / (2 * h)
					if math.Abs(float64(gradient[j])-slope) > 1e-6+1e-3*math.Abs(slope) {
						t.Errorf("%s, %v: gradient of parameter %d[%d] is %g, the slope %g", name, level, i, j, gradient[j], slope)
					}
					if math.Abs(slope) > 1e-5 {
						checked++
					}
				}
			}
			if checked < 50 {
				t.Errorf("%s, %v: only %d weights make a difference", name, level, checked)
			}
		}
	}
}

// TestSparseThreads: one goroutine and several compute the same weights to the bit, from batches
// of any size.
func TestSparseThreads(t *testing.T) {
	v := variant(t, "turkish")
	samples := sparseSamples(v, 300, 6)
	var files [][]byte
	for _, threads := range []int{1, 3} {
		tr := newSparse(t, scattered(v, 32), Config{Threads: threads})
		for _, cut := range [][2]int{{0, 64}, {64, 66}, {66, 66}, {66, 300}} {
			stepSparse(t, tr, samples[cut[0]:cut[1]])
		}
		var b bytes.Buffer
		if err := tr.Save(&b); err != nil {
			t.Fatal(err)
		}
		files = append(files, b.Bytes())
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("three goroutines have learnt something else than one")
	}
}

// TestSparseResumes: a trainer that was saved and loaded continues to the bit. State of another
// kind is refused and changes nothing.
func TestSparseResumes(t *testing.T) {
	v := variant(t, "turkish") // with a mirror: which samples are mirrored depends on the steps
	samples := sparseSamples(v, 100, 7)
	saved := func(tr *Sparse) []byte {
		var b bytes.Buffer
		if err := tr.Save(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	a, b := newSparse(t, scattered(v, 32), Config{}), newSparse(t, nnue.New(v, 32, 9), Config{})
	for range 3 {
		stepSparse(t, a, samples)
	}
	state := saved(a)
	fresh := saved(b)
	for name, bad := range map[string][]byte{"half": state[:len(state)/2], "changed": slices.Concat(state[:len(state)-9], []byte{state[len(state)-9] ^ 1}, state[len(state)-8:])} {
		if err := b.Load(bytes.NewReader(bad)); !errors.Is(err, net.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := newSparse(t, nnue.New(v, 64, 1), Config{}).Load(bytes.NewReader(state)); !errors.Is(err, net.ErrForeign) {
		t.Errorf("of another width: %v", err)
	}
	a.solver.moment2[1][5] = -1
	if err := b.Load(bytes.NewReader(saved(a))); !errors.Is(err, net.ErrDamaged) {
		t.Errorf("with a negative second moment: %v", err)
	}
	if !bytes.Equal(saved(b), fresh) {
		t.Error("what was refused has changed the trainer")
	}
	if err := errors.Join(a.Load(bytes.NewReader(state)), b.Load(bytes.NewReader(state))); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		stepSparse(t, a, samples)
		stepSparse(t, b, samples)
	}
	if !bytes.Equal(saved(a), saved(b)) || b.Steps() != 6 {
		t.Errorf("it does not go on to the bit after %d steps", b.Steps())
	}
}

// TestSparseLearns: a trainer overfits a batch that it sees many times, and its weights stay
// within bounds.
func TestSparseLearns(t *testing.T) {
	v := variant(t, "english")
	samples := sparseSamples(v, 2*SparseBatch, 8)
	tr := newSparse(t, nnue.New(v, 64, 1), Config{LearningRate: 3e-3, WeightDecay: -1})
	first := stepSparse(t, tr, samples)
	for range 400 {
		stepSparse(t, tr, samples)
	}
	least := 0.0 // the entropy of the targets
	for _, s := range samples {
		y := float64(s.Score)
		least -= y*math.Log(y) + (1-y)*math.Log(1-y)
	}
	least /= float64(len(samples))
	if last := stepSparse(t, tr, samples); last.Value-least > 0.3*(first.Value-least) {
		t.Errorf("loss %g, then %g, and it could be %g", first.Value, last.Value, least)
	}
	hard := newSparse(t, nnue.New(v, 32, 1), Config{LearningRate: 1})
	for range 10 {
		stepSparse(t, hard, samples)
	}
	hidden, output := hard.model.Bounds()
	if most := slices.Max(hard.model.Hidden); most > hidden {
		t.Errorf("a weight of %g, the bound is %g", most, hidden)
	}
	if most := slices.Max(hard.model.Output); most > output {
		t.Errorf("a weight of an output of %g, the bound is %g", most, output)
	}
}

// TestSparseNotFinite: a target that is not a finite number is an error, and the weights do not
// change. TestSparseStaysInBounds: the weights stay within the range that an evaluator can sum
// without overflow, even with extreme gradients.
func TestSparseStaysInBounds(t *testing.T) {
	tr := newSparse(t, nnue.New(rules.Frysk, 32, 1), Config{LearningRate: 1, WeightDecay: -1})
	for i := range 40 {
		stepSparse(t, tr, sparseSamples(rules.Frysk, 4*SparseBatch, uint64(i)))
	}
	m := tr.Weights()
	bound, _ := m.Bounds()
	if most := slices.Max(m.Hidden); most > bound || most < bound*0.99 {
		t.Errorf("the greatest weight is %g, the bound %g", most, bound)
	}
	m.Evaluator() // would panic
}

func TestSparseNotFinite(t *testing.T) {
	v := variant(t, "english")
	tr := newSparse(t, nnue.New(v, 32, 1), Config{})
	samples := sparseSamples(v, SparseBatch, 9)
	before := tr.Weights()
	samples[7].Score = float32(math.NaN())
	if _, err := tr.Step(samples, 1); !errors.Is(err, ErrNotFinite) {
		t.Errorf("Step: %v", err)
	}
	if _, err := tr.Evaluate(samples); !errors.Is(err, ErrNotFinite) {
		t.Errorf("Evaluate: %v", err)
	}
	if !slices.Equal(before.Hidden, tr.Weights().Hidden) {
		t.Error("something was learnt")
	}
}

// TestSparseDoesNotAllocate: a step allocates no memory once its lists have grown.
func TestSparseDoesNotAllocate(t *testing.T) {
	v := variant(t, "turkish")
	tr := newSparse(t, nnue.New(v, 32, 1), Config{Threads: 2})
	samples := sparseSamples(v, 4*SparseBatch, 10)
	stepSparse(t, tr, samples)
	if n := testing.AllocsPerRun(20, func() { stepSparse(t, tr, samples) }); n > 0 {
		t.Errorf("a step allocates %g times", n)
	}
}

// measureSparse reports the CPU time of a pass of an example.
func measureSparse(b *testing.B, examples int, learn func()) {
	learn()
	before := usage.CPU()
	for b.Loop() {
		learn()
	}
	b.ReportMetric((usage.CPU()-before)*1e9/float64(b.N*examples), "cpu-ns/example")
}

// BenchmarkSparse is a pass of an example on one thread, forward, backward and solver, in CPU
// time.
func BenchmarkSparse(b *testing.B) {
	v := variant(b, "international")
	samples := sparseSamples(v, 64*SparseBatch, 1)
	for _, level := range simd.Levels() {
		b.Run(level.String(), func(b *testing.B) {
			tr := newSparse(b, nnue.New(v, nnue.Width, 1), Config{Threads: 1, Level: level.String()})
			measureSparse(b, len(samples), func() { stepSparse(b, tr, samples) })
		})
	}
}

// BenchmarkSparseCores is a pass of an example on all cores, in time.
func BenchmarkSparseCores(b *testing.B) {
	v := variant(b, "international")
	samples := sparseSamples(v, 64*SparseBatch, 1)
	tr := newSparse(b, nnue.New(v, nnue.Width, 1), Config{})
	for b.Loop() {
		stepSparse(b, tr, samples)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(samples)), "ns/example")
}
