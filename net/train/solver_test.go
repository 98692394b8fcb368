package train

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"damier/internal/simd"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// param is a gorgonia.ValueGrad without a graph.
type param struct{ value, grad *tensor.Dense }

func (p *param) Value() gorgonia.Value         { return p.value }
func (p *param) Grad() (gorgonia.Value, error) { return p.grad, nil }

// The solver against the formulas in float64.
func TestSolver(t *testing.T) {
	const steps = 60
	for _, level := range simd.Levels() {
		cfg := Config{LearningRate: 0.02, WeightDecay: 0.1}.Resolve()
		s := &solver{cfg: cfg, level: level, workers: newWorkers(1), rates: []float64{1, 4, 0.5}}
		rng := rand.New(rand.NewPCG(1, 2))
		var params []gorgonia.ValueGrad
		var w, m, v [][]float64
		for _, n := range []int{1000, 7, 2} {
			value, grad := newTensor(n), newTensor(n)
			var wi []float64
			for j := range n {
				x := float32(rng.NormFloat64())
				value.SetAt(x, j)
				wi = append(wi, float64(x))
			}
			params = append(params, &param{value: value, grad: grad})
			w, m, v = append(w, wi), append(m, make([]float64, n)), append(v, make([]float64, n))
			s.moment1 = append(s.moment1, make([]float32, n))
			s.moment2 = append(s.moment2, make([]float32, n))
		}
		for step := 1; step <= steps; step++ {
			s.factor = 1 / float64(1+step%3)
			sum := 0.0
			var g [][]float64
			for _, p := range params {
				grad := p.(*param).grad.Data().([]float32)
				var gi []float64
				for j := range grad {
					grad[j] = float32(rng.NormFloat64() * 0.1 * float64(step%3))
					gi = append(gi, float64(grad[j]))
					sum += gi[j] * gi[j]
				}
				g = append(g, gi)
			}
			if err := s.Step(params); err != nil {
				t.Fatal(err)
			}
			norm := math.Sqrt(sum)
			if math.Abs(s.norm-norm) > 1e-5*norm {
				t.Fatalf("%v step %d: norm %g, want %g", level, step, s.norm, norm)
			}
			rate := 0.02 * s.factor
			for i := range w {
				for j := range w[i] {
					h := g[i][j]
					m[i][j] = 0.9*m[i][j] + 0.1*h
					v[i][j] = 0.999*v[i][j] + 0.001*h*h
					mHat := m[i][j] / (1 - math.Pow(0.9, float64(step)))
					vHat := v[i][j] / (1 - math.Pow(0.999, float64(step)))
					w[i][j] -= rate * s.rates[i] * (mHat/(math.Sqrt(vHat)+1e-8) + 0.1*w[i][j])
				}
			}
		}
		for i, p := range params {
			for j, x := range p.(*param).value.Data().([]float32) {
				if math.Abs(float64(x)-w[i][j]) > 1e-4 {
					t.Fatalf("%v: weight %d of %d is %g, want %g", level, j, i, x, w[i][j])
				}
			}
		}

		before := append([]float32(nil), floats(params[0].Value())...)
		floats(params[1].(*param).grad)[3] = float32(math.NaN())
		if err := s.Step(params); !errors.Is(err, ErrNotFinite) || s.steps != steps {
			t.Errorf("%v: NaN gives %v after %d steps", level, err, s.steps)
		}
		for j, x := range floats(params[0].Value()) {
			if x != before[j] {
				t.Fatalf("%v: a step on NaN changed a weight", level)
			}
		}
	}
}
