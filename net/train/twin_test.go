package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"damier/data"
	"damier/internal/simd"
	"damier/net"
	"damier/rules"
)

func international(t testing.TB) *rules.Variant { return variant(t, "international") }

func variant(t testing.TB, name string) *rules.Variant {
	t.Helper()
	v, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newModel(t testing.TB, v *rules.Variant, cfg net.Config) *net.Model {
	t.Helper()
	m, err := net.NewModel(v, cfg, 7)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomSamples returns rows from random games with random targets. Some have no policy, some a weight of
// one half, and some targets are sharp, as late in training.
func randomSamples(v *rules.Variant, n int, seed uint64) []data.Sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	var samples []data.Sample
	for len(samples) < n {
		g := rules.NewGame(v)
		for !g.Over() && len(samples) < n && g.Ply() < 150 {
			moves := g.Legal()
			if g.Ply() > 2 && rng.IntN(3) == 0 {
				s := data.Sample{
					Position: g.Position(), Occurrences: uint8(1 + rng.IntN(2)),
					Moves: append([]rules.Move(nil), moves...), Weight: 1,
				}
				sharp := 1 + 5*float64(rng.IntN(2))
				if rng.IntN(5) > 0 {
					sum := 0.0
					for range moves {
						p := math.Exp(sharp * rng.NormFloat64())
						s.Policy = append(s.Policy, float32(p))
						sum += p
					}
					for i := range s.Policy {
						s.Policy[i] /= float32(sum)
					}
				}
				if rng.IntN(4) == 0 {
					s.Weight = 0.5
				}
				w, d := rng.Float32(), rng.Float32()
				s.Value = rules.WDL{Win: w * d, Draw: (1 - w) * d, Loss: 1 - d}
				samples = append(samples, s)
			}
			if err := g.Play(moves[rng.IntN(len(moves))]); err != nil {
				panic(err)
			}
		}
	}
	return samples
}

// twin is the network and its loss in float64 and plain loops, with the gradient of every parameter worked
// out by hand, one row after the other.
type twin struct {
	model  *net.Model
	arch   *net.Architecture
	params map[string][]float64
	grads  map[string][]float64

	policyWeight, valueWeight float64
}

func newTwin(m *net.Model) *twin {
	return &twin{
		model: m, arch: m.Architecture(), params: net.NewReference(m).Params,
		policyWeight: 1, valueWeight: 1,
	}
}

// forward returns a layer of x, [square][In], without activation function.
func (t *twin) forward(l *net.Layer, x []float64) []float64 {
	w, bias := t.params[l.Weight()], t.params[l.Bias()]
	y := make([]float64, l.Lattice.Squares*l.Out)
	for i := range y {
		if bias != nil {
			y[i] = bias[i%len(bias)]
		}
	}
	for s, row := range l.Lattice.Neighbour {
		for tap, q := range row {
			for i := 0; q >= 0 && i < l.In; i++ {
				for o := range l.Out {
					y[s*l.Out+o] += x[q*l.In+i] * w[(tap*l.In+i)*l.Out+o]
				}
			}
		}
	}
	return y
}

// backward adds to the gradients of a layer's parameters, and returns that of its input.
func (t *twin) backward(l *net.Layer, x, dy []float64) []float64 {
	w, dw, dbias := t.params[l.Weight()], t.grads[l.Weight()], t.grads[l.Bias()]
	for i, d := range dy {
		if dbias != nil {
			dbias[i%len(dbias)] += d
		}
	}
	dx := make([]float64, len(x))
	for s, row := range l.Lattice.Neighbour {
		for tap, q := range row {
			for i := 0; q >= 0 && i < l.In; i++ {
				for o := range l.Out {
					dw[(tap*l.In+i)*l.Out+o] += dy[s*l.Out+o] * x[q*l.In+i]
					dx[q*l.In+i] += dy[s*l.Out+o] * w[(tap*l.In+i)*l.Out+o]
				}
			}
		}
	}
	return dx
}

func relu(x []float64) []float64 {
	for i, v := range x {
		x[i] = math.Max(v, 0)
	}
	return x
}

func mask(y, dy []float64) []float64 {
	d := make([]float64, len(dy))
	for i, v := range y {
		if v > 0 {
			d[i] = dy[i]
		}
	}
	return d
}

func softmax(logits []float64) []float64 {
	sum := 0.0
	p := make([]float64, len(logits))
	for i, l := range logits {
		p[i] = math.Exp(l)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// loss returns the loss of the samples, and leaves its gradient in grads.
func (t *twin) loss(samples []data.Sample) Loss {
	t.grads = map[string][]float64{}
	for name, p := range t.params {
		t.grads[name] = make([]float64, len(p))
	}
	policyRows, rows := 0.0, 0.0
	var outcome [3]float64
	for i := range samples {
		s := &samples[i]
		rows += float64(s.Weight)
		if s.Policy != nil {
			policyRows += float64(s.Weight)
		}
		for k, x := range []float32{s.Value.Win, s.Value.Draw, s.Value.Loss} {
			outcome[k] += float64(s.Weight) * float64(x)
		}
	}
	var sum Loss
	for i := range samples {
		s := &samples[i]
		l := t.row(s, t.policyWeight*float64(s.Weight)/policyRows, t.valueWeight*float64(s.Weight)/rows)
		if s.Policy != nil {
			w := float64(s.Weight) / policyRows
			sum.Policy += w * l.Policy
			sum.TargetEntropy += w * l.TargetEntropy
			sum.PolicyTop1 += w * l.PolicyTop1
		}
		sum.Value += float64(s.Weight) / rows * l.Value
	}
	for _, x := range outcome {
		sum.ValueEntropy -= x / rows * math.Log(x/rows)
	}
	for _, g := range t.grads {
		for _, x := range g {
			sum.GradNorm += x * x
		}
	}
	sum.GradNorm = math.Sqrt(sum.GradNorm)
	return sum
}

// row returns the loss of a sample and adds the gradient of policy times its policy loss and value times its
// value loss.
func (t *twin) row(sample *data.Sample, policy, value float64) Loss {
	a := t.arch
	squares := float64(a.Stem.Lattice.Squares)
	width := a.Stem.Out

	encode := net.NewEncoder(t.model.Variant, t.model.Config)
	planes := make([]float32, encode.Len())
	encode.Encode(planes, 0, sample.Position, int(sample.Occurrences))
	var x []float64
	for i := 0; i < len(planes); i += simd.Lanes {
		x = append(x, float64(planes[i]))
	}

	// Forward.
	h := [][]float64{relu(t.forward(&a.Stem, x))}
	var middle, mean [][]float64
	for i := range a.Blocks {
		b := &a.Blocks[i]
		y := t.forward(b.First, h[i])
		m := make([]float64, width)
		if b.Global != nil {
			for j, v := range h[i] {
				m[j%width] += v / squares
			}
			extra := t.forward(b.Global, m)
			for j := range y {
				y[j] += extra[j%width]
			}
		}
		mean, middle = append(mean, m), append(middle, relu(y))
		y = t.forward(b.Second, y)
		for j, v := range h[i] {
			y[j] += v
		}
		h = append(h, relu(y))
	}
	trunk := h[len(h)-1]
	out := t.forward(&a.Policy, trunk)
	features := make([]float64, a.Hidden.In)
	for j, v := range trunk {
		features[j%width] += float64(a.PoolScale) * v
	}
	for s := range a.Squares {
		for c := range a.Counts {
			features[width+c] += float64(a.CountScale) * x[s*a.Planes+c]
		}
	}
	hidden := relu(t.forward(&a.Hidden, features))
	wdl := softmax(t.forward(&a.Out, hidden))

	// Loss and its gradient by the heads' outputs.
	var loss Loss
	dout := make([]float64, len(out))
	if sample.Policy != nil {
		rank, channels := a.PolicyRank, a.PolicyChannels()
		turn, board := sample.Position.Turn, t.model.Variant.Board
		at := func(s rules.Square) int { return encode.Index(turn, s) * channels }
		captured := func(m rules.Move) []rules.Square { return board.AppendSquares(nil, m.Captured()) }
		var logits []float64
		for _, m := range sample.Moves {
			logit := out[at(m.To)+2*rank+1]
			for r := range rank {
				logit += out[at(m.From)+r] * out[at(m.To)+rank+r]
			}
			for _, s := range captured(m) {
				logit += out[at(s)+2*rank]
			}
			logits = append(logits, logit)
		}
		p := softmax(logits)
		sum, best, wanted := 0.0, 0, 0
		for j, target := range sample.Policy {
			sum += float64(target)
			loss.Policy -= float64(target) * math.Log(p[j])
			loss.TargetEntropy -= float64(target) * math.Log(float64(target))
			if p[j] > p[best] {
				best = j
			}
			if target > sample.Policy[wanted] {
				wanted = j
			}
		}
		if best == wanted {
			loss.PolicyTop1 = 1
		}
		for j, m := range sample.Moves {
			d := policy * (sum*p[j] - float64(sample.Policy[j]))
			dout[at(m.To)+2*rank+1] += d
			for r := range rank {
				dout[at(m.From)+r] += d * out[at(m.To)+rank+r]
				dout[at(m.To)+rank+r] += d * out[at(m.From)+r]
			}
			for _, s := range captured(m) {
				dout[at(s)+2*rank] += d
			}
		}
	}
	targets := []float32{sample.Value.Win, sample.Value.Draw, sample.Value.Loss}
	sum := 0.0
	for _, x := range targets {
		sum += float64(x)
	}
	dwdl := make([]float64, 3)
	for k, target := range targets {
		loss.Value -= float64(target) * math.Log(wdl[k])
		dwdl[k] = value * (sum*wdl[k] - float64(target))
	}

	// Backward.
	dfeatures := t.backward(&a.Hidden, features, mask(hidden, t.backward(&a.Out, hidden, dwdl)))
	dh := t.backward(&a.Policy, trunk, dout)
	for j := range dh {
		dh[j] += float64(a.PoolScale) * dfeatures[j%width]
	}
	for i := len(a.Blocks) - 1; i >= 0; i-- {
		b := &a.Blocks[i]
		dy := mask(h[i+1], dh)
		dt := mask(middle[i], t.backward(b.Second, middle[i], dy))
		dh = t.backward(b.First, h[i], dt)
		for j := range dh {
			dh[j] += dy[j]
		}
		if b.Global != nil {
			dextra := make([]float64, width)
			for j, d := range dt {
				dextra[j%width] += d
			}
			dmean := t.backward(b.Global, mean[i], dextra)
			for j := range dh {
				dh[j] += dmean[j%width] / squares
			}
		}
	}
	t.backward(&a.Stem, x, mask(h[0], dh))
	return loss
}

// referenceLoss returns the weighted sum of both losses as net.Reference has it.
func referenceLoss(r *net.Reference, samples []data.Sample) float64 {
	policy, value, policyRows, rows := 0.0, 0.0, 0.0, 0.0
	for i := range samples {
		s := &samples[i]
		w := float64(s.Weight)
		out := r.Forward(s.Position, int(s.Occurrences), s.Moves)
		rows += w
		for k, target := range []float32{s.Value.Win, s.Value.Draw, s.Value.Loss} {
			value -= w * float64(target) * math.Log(out.WDL[k])
		}
		if s.Policy == nil {
			continue
		}
		policyRows += w
		for j, target := range s.Policy {
			policy -= w * float64(target) * math.Log(out.Priors[j])
		}
	}
	return policy/policyRows + value/rows
}

// The hand-written gradient of the twin is that of net.Reference, whose forward pass stands alone.
func TestTwinGradientIsCentralDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, and nothing in it runs beside anything")
	}
	small := net.Config{Channels: 8, Layers: 2, PolicyRank: 3, ValueHidden: 8}
	mlp := net.Config{Arch: net.MLP, Hidden: 16, PolicyRank: 3, ValueHidden: 8}
	for _, test := range []struct {
		variant string
		c       net.Config
	}{
		{"international", net.Config{Channels: 8, Layers: 4, PolicyRank: 3, ValueHidden: 8}},
		{"international", net.Config{Channels: 8, Layers: 2, Taps: 9, GlobalPool: -1, PolicyRank: 3, ValueHidden: 8, NoValueCounts: true}},
		{"international", mlp},
		{"frisian", small},
		{"frisian", mlp},
		{"russian", small},
		{"russian", mlp},
		{"canadian", small},
		{"turkish", small},
	} {
		v, c := variant(t, test.variant), test.c
		m := newModel(t, v, c)
		n := 6
		if test.variant != "international" {
			n = 3
		}
		samples := randomSamples(v, n, 3)
		tw := newTwin(m)
		loss := tw.loss(samples)
		ref := net.NewReference(m)
		if want := referenceLoss(ref, samples); math.Abs(loss.Policy+loss.Value-want) > 1e-8 {
			t.Errorf("%v: loss %v, reference %v", m, loss.Policy+loss.Value, want)
		}
		rng := rand.New(rand.NewPCG(5, 5))
		for _, p := range m.Params {
			largest := 0.0
			for _, g := range tw.grads[p.Name] {
				largest = math.Max(largest, math.Abs(g))
			}
			if largest == 0 {
				t.Errorf("%v: no gradient of %s", m, p.Name)
			}
			for range 2 * n {
				const step = 1e-6
				i := rng.IntN(len(p.Data))
				w := ref.Params[p.Name]
				old := w[i]
				w[i] = old + step
				up := referenceLoss(ref, samples)
				w[i] = old - step
				down := referenceLoss(ref, samples)
				w[i] = old
				if got, want := tw.grads[p.Name][i], (up-down)/(2*step); math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
					t.Errorf("%v: gradient of %s[%d] is %g, by differences %g", m, p.Name, i, got, want)
				}
			}
		}
	}
}
