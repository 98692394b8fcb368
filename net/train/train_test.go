package train

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"damier/data"
	"damier/internal/simd"
	"damier/mcts"
	"damier/net"
	"damier/rules"
)

func newTrainer(t testing.TB, m *net.Model, cfg Config) *Trainer {
	t.Helper()
	tr, err := New(m, m.Variant, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func step(t testing.TB, tr *Trainer, samples []data.Sample) Loss {
	t.Helper()
	l, err := tr.Step(samples, 1)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func small() map[string]net.Config {
	return map[string]net.Config{
		"lattice": {Channels: 32, Layers: 2},
		"9 taps":  {Channels: 8, Layers: 2, Taps: 9, GlobalPool: -1, NoValueCounts: true, PolicyRank: 7},
		"mlp":     {Arch: net.MLP, Hidden: 64},
	}
}

// near reports whether a and b are equal to 1e-4 of scale, or of themselves.
func near(a, b, scale float64) bool {
	return math.Abs(a-b) <= 1e-4*math.Max(scale, math.Abs(b))
}

// The whole graph against the twin: loss and every gradient.
func TestGraphMatchesTwin(t *testing.T) {
	variants := []string{"frisian", "russian", "canadian", "turkish"}
	if testing.Short() { // under the race detector the twin takes minutes
		variants = variants[3:]
	} else {
		for name, c := range small() {
			testGraphMatchesTwin(t, international(t), name, c)
		}
	}
	for _, name := range variants {
		testGraphMatchesTwin(t, variant(t, name), name, net.Config{Channels: 8, Layers: 2, PolicyRank: 3, ValueHidden: 8})
	}
}

func testGraphMatchesTwin(t *testing.T, v *rules.Variant, name string, c net.Config) {
	cfg := Config{Batch: 160, Threads: 2, PolicyWeight: 0.75, ValueWeight: 1.5, Warmup: -1, LearningRate: 3e-3}
	if v.Name != "international" {
		cfg.Batch = 32
	}
	fresh := newModel(t, v, c)
	tr := newTrainer(t, fresh, cfg)
	samples := randomSamples(v, cfg.Batch, 11)
	for range 10 {
		step(t, tr, samples)
	}
	samples = randomSamples(v, cfg.Batch, 12)
	for state, m := range map[string]*net.Model{"fresh": fresh, "trained": tr.Weights()} {
		// The twin looks at the samples as the next step does.
		seen := newTrainer(t, m, cfg).mirror(samples)
		tw := newTwin(m)
		tw.policyWeight, tw.valueWeight = cfg.PolicyWeight, cfg.ValueWeight
		want := tw.loss(seen)
		held := newTwin(m)
		held.policyWeight, held.valueWeight = cfg.PolicyWeight, cfg.ValueWeight
		evaluated := held.loss(samples)
		for _, level := range simd.Levels() {
			t.Run(name+" "+state+" "+level.String(), func(t *testing.T) {
				cfg.Level = level.String()
				compareWithTwin(t, m, cfg, samples, tw.grads, want, evaluated)
			})
		}
	}
}

func compareWithTwin(t *testing.T, m *net.Model, cfg Config, samples []data.Sample, grads map[string][]float64, want, held Loss) {
	tr := newTrainer(t, m, cfg)
	if got, err := tr.Evaluate(samples); err != nil || !sameLoss(got, held, false) {
		t.Errorf("Evaluate %+v, %v; twin %+v", got, err, held)
	}
	if got := step(t, tr, samples); !sameLoss(got, want, true) {
		t.Errorf("loss %+v, twin %+v", got, want)
	}
	for i, p := range tr.train.params {
		g, err := p.Grad()
		if err != nil {
			t.Fatal(err)
		}
		name := m.Params[i].Name
		ref := grads[name]
		scale := 0.0
		for _, x := range ref {
			scale = math.Max(scale, math.Abs(x))
		}
		for j, x := range floats(g) {
			if !near(float64(x), ref[j], scale) {
				t.Errorf("gradient of %s[%d] is %g, twin %g (largest %g)", name, j, x, ref[j], scale)
				break
			}
		}
	}
}

func sameLoss(a, b Loss, norm bool) bool {
	return near(a.Policy, b.Policy, 0) && near(a.Value, b.Value, 0) &&
		near(a.TargetEntropy, b.TargetEntropy, 0) && near(a.ValueEntropy, b.ValueEntropy, 0) &&
		near(a.PolicyTop1, b.PolicyTop1, 0) && (!norm || near(a.GradNorm, b.GradNorm, 0))
}

// What the graph computes in training is what the evaluator computes in play.
func TestGraphMatchesEvaluator(t *testing.T) {
	v := international(t)
	for name, c := range small() {
		m := newModel(t, v, c)
		tr := newTrainer(t, m, Config{Batch: 96, Warmup: -1, LearningRate: 3e-3})
		samples := randomSamples(v, 96, 21)
		for range 20 {
			step(t, tr, samples)
		}
		e, err := net.NewEvaluator(tr.EMA(), simd.Best())
		if err != nil {
			t.Fatal(err)
		}
		// Not a whole batch, nor a whole block: the rest of the lanes must not count.
		samples = randomSamples(v, 133, 22)
		var leaves []mcts.Leaf
		for _, s := range samples {
			leaves = append(leaves, mcts.Leaf{
				Position: s.Position, Moves: s.Moves, Occurrences: int(s.Occurrences),
				Priors: make([]float32, len(s.Moves)),
			})
		}
		if err := e.Evaluate(context.Background(), leaves); err != nil {
			t.Fatal(err)
		}
		var policy, value, policyRows, rows float64
		for i, s := range samples {
			w := float64(s.Weight)
			rows += w
			p, q := s.Value, leaves[i].Value
			value -= w * (float64(p.Win)*math.Log(float64(q.Win)) + float64(p.Draw)*math.Log(float64(q.Draw)) +
				float64(p.Loss)*math.Log(float64(q.Loss)))
			if s.Policy != nil {
				policyRows += w
				for j, x := range s.Policy {
					policy -= w * float64(x) * math.Log(float64(leaves[i].Priors[j]))
				}
			}
		}
		policy, value = policy/policyRows, value/rows
		got, err := tr.Evaluate(samples)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Policy-policy) > 1e-5*policy || math.Abs(got.Value-value) > 1e-5*value {
			t.Errorf("%s: graph has policy %.7f, value %.7f; evaluator %.7f, %.7f", name, got.Policy, got.Value, policy, value)
		}
	}
}

// equalModels fails the test unless both are the same bit for bit.
func equalModels(t *testing.T, what string, a, b *net.Model) {
	t.Helper()
	if a.Steps != b.Steps {
		t.Errorf("%s: %d steps and %d", what, a.Steps, b.Steps)
	}
	for i, p := range a.Params {
		for j, x := range p.Data {
			if y := b.Params[i].Data[j]; math.Float32bits(x) != math.Float32bits(y) {
				t.Fatalf("%s: %s[%d] is %v and %v", what, p.Name, j, x, y)
			}
		}
	}
}

func TestStepIsDeterministic(t *testing.T) {
	v := international(t)
	for name, c := range small() {
		m := newModel(t, v, c)
		batches := [][]data.Sample{randomSamples(v, 192, 31), randomSamples(v, 192, 32)}
		run := func(threads int) (weights, ema *net.Model) {
			tr := newTrainer(t, m, Config{Batch: 192, Threads: threads, Warmup: 3})
			for i := range 8 {
				step(t, tr, batches[i%2])
			}
			return tr.Weights(), tr.EMA()
		}
		weights, ema := run(1)
		if weights.Steps != 8 || weights.Param("policy.weight")[0] == m.Param("policy.weight")[0] {
			t.Errorf("%s: eight steps changed nothing", name)
		}
		for _, threads := range []int{1, 2, 3, 8} {
			w, e := run(threads)
			equalModels(t, name+" weights", weights, w)
			equalModels(t, name+" average", ema, e)
		}
	}
}

// sureSamples returns rows with one right move each and one sure outcome.
func sureSamples(v *rules.Variant, n int) []data.Sample {
	samples := randomSamples(v, n, 41)
	for i := range samples {
		s := &samples[i]
		s.Weight = 1
		if s.Policy != nil { // one right move, one sure outcome
			best := i % len(s.Policy)
			clear(s.Policy)
			s.Policy[best] = 1
		}
		s.Value = [3]rules.WDL{{Win: 1}, {Draw: 1}, {Loss: 1}}[i%3]
	}
	return samples
}

// A network learns a few rows by heart, those of the widest board and those that it sees mirrored, too.
func TestOverfitsFamily(t *testing.T) {
	for _, name := range []string{"turkish", "canadian"} {
		v := variant(t, name)
		samples := sureSamples(v, 32)
		tr := newTrainer(t, newModel(t, v, net.Config{Channels: 24, Layers: 2}),
			Config{Batch: 32, LearningRate: 4e-3, ValueWeight: 4, Warmup: 20, WeightDecay: -1, EMADecay: 0.9})
		first := step(t, tr, samples)
		if first.Policy < 1.2 || first.Value < 0.9 {
			t.Errorf("%s: knows the answers already: %+v", name, first)
		}
		for i := range 300 {
			if _, err := tr.Step(samples, math.Min(1, float64(320-i)/200)); err != nil {
				t.Fatal(err)
			}
		}
		for _, rows := range [][]data.Sample{samples, tr.mirror(samples)} {
			if last, err := tr.Evaluate(rows); err != nil || last.Policy > 0.1 || last.Value > 0.2 || last.PolicyTop1 < 0.93 {
				t.Errorf("%s: after %d steps %+v, %v, at first %+v", name, tr.Steps(), last, err, first)
			}
		}
	}
}

func TestOverfits(t *testing.T) {
	v := international(t)
	samples := sureSamples(v, 256)
	for name, c := range map[string]net.Config{
		"lattice": {Channels: 32, Layers: 2},
		"mlp":     {Arch: net.MLP, Hidden: 128},
	} {
		tr := newTrainer(t, newModel(t, v, c), Config{Batch: 256, LearningRate: 4e-3, ValueWeight: 4, Warmup: 20, WeightDecay: -1, EMADecay: 0.9})
		first := step(t, tr, samples)
		if first.Policy < 1.5 || first.Value < 0.9 {
			t.Errorf("%s: knows the answers already: %+v", name, first)
		}
		for i := range 300 {
			l, err := tr.Step(samples, math.Min(1, float64(320-i)/200))
			if err != nil {
				t.Fatal(err)
			}
			if l.Policy < 0.02 && l.Value < 0.3 {
				break
			}
		}
		last, err := tr.Evaluate(samples)
		if err != nil {
			t.Fatal(err)
		}
		if last.Policy > 0.05 || last.Value > 0.4 || last.PolicyTop1 < 0.97 {
			t.Errorf("%s: after %d steps %+v, at first %+v", name, tr.Steps(), last, first)
		}
	}
}

func TestSaveAndLoadGoOn(t *testing.T) {
	v := international(t)
	for name, c := range small() {
		m := newModel(t, v, c)
		m.Run, m.Generation, m.Steps = "test", 3, 100
		cfg := Config{Batch: 64, Warmup: 10}
		batches := [][]data.Sample{randomSamples(v, 64, 51), randomSamples(v, 64, 52), randomSamples(v, 64, 53)}
		whole := newTrainer(t, m, cfg)
		half := newTrainer(t, m, cfg)
		for i := range 6 {
			step(t, whole, batches[i%3])
			if i < 3 {
				step(t, half, batches[i%3])
			}
		}
		var file bytes.Buffer
		if err := half.Save(&file); err != nil {
			t.Fatal(err)
		}
		rest := newTrainer(t, newModel(t, v, c), cfg)
		if err := rest.Load(bytes.NewReader(file.Bytes())); err != nil {
			t.Fatal(err)
		}
		if rest.Steps() != 103 || rest.EMA().Generation != 3 || rest.Weights().Run != "test" {
			t.Errorf("%s: loaded %d steps, want 103", name, rest.Steps())
		}
		for i := 3; i < 6; i++ {
			step(t, rest, batches[i%3])
		}
		equalModels(t, name+" weights", whole.Weights(), rest.Weights())
		equalModels(t, name+" average", whole.EMA(), rest.EMA())
		var a, b bytes.Buffer
		if err := errors.Join(whole.Save(&a), rest.Save(&b)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: the states differ", name)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	v := international(t)
	c := net.Config{Channels: 8, Layers: 2}
	cfg := Config{Batch: 32}
	tr := newTrainer(t, newModel(t, v, c), cfg)
	step(t, tr, randomSamples(v, 32, 61))
	var file bytes.Buffer
	if err := tr.Save(&file); err != nil {
		t.Fatal(err)
	}
	metadata, tensors, err := net.ReadTensors(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	write := func(change func(meta map[string]string, ts []net.Tensor) []net.Tensor) []byte {
		meta := map[string]string{}
		for k, x := range metadata {
			meta[k] = x
		}
		ts := make([]net.Tensor, len(tensors))
		for i, x := range tensors {
			x.Data = append([]float32(nil), x.Data...)
			ts[i] = x
		}
		ts = change(meta, ts)
		var b bytes.Buffer
		if err := net.WriteTensors(&b, meta, ts); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	set := func(key, value string) []byte {
		return write(func(meta map[string]string, ts []net.Tensor) []net.Tensor { meta[key] = value; return ts })
	}
	var model bytes.Buffer
	if err := tr.Weights().Save(&model); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(file.Bytes())
	flipped[len(flipped)-9] ^= 1
	for _, test := range []struct {
		name string
		file []byte
		want error
		says string
	}{
		{"empty", nil, net.ErrDamaged, ""},
		{"cut short", file.Bytes()[:file.Len()-4], net.ErrDamaged, ""},
		{"a flipped bit", flipped, net.ErrDamaged, "checksum"},
		{"a model", model.Bytes(), net.ErrForeign, "format"},
		{"version", set("format_version", "99"), net.ErrForeign, "version"},
		{"variant", set("variant", "frisian"), net.ErrForeign, "frisian"},
		{"config", set("config", "{}"), net.ErrForeign, "config"},
		{"rules", set("rules", "0"), net.ErrForeign, "rules"},
		{"steps", set("solver_steps", "-1"), net.ErrDamaged, "solver_steps"},
		{"model steps", set("steps", "x"), net.ErrDamaged, "steps"},
		{"tensor missing", write(func(_ map[string]string, ts []net.Tensor) []net.Tensor { return ts[:len(ts)-1] }), net.ErrDamaged, "missing"},
		{"tensor too many", write(func(_ map[string]string, ts []net.Tensor) []net.Tensor {
			return append(ts, net.Tensor{Name: "more", Shape: []int{1}, Data: []float32{0}})
		}), net.ErrDamaged, "more"},
		{"names exchanged", write(func(_ map[string]string, ts []net.Tensor) []net.Tensor {
			ts[0].Name, ts[1].Name = ts[1].Name, ts[0].Name
			return ts
		}), net.ErrDamaged, "weights.stem"},
		{"shape", write(func(_ map[string]string, ts []net.Tensor) []net.Tensor {
			ts[0].Shape = []int{len(ts[0].Data)}
			return ts
		}), net.ErrDamaged, "shape"},
		{"not finite", write(func(_ map[string]string, ts []net.Tensor) []net.Tensor {
			ts[2].Data[1] = float32(math.NaN())
			return ts
		}), net.ErrDamaged, "NaN"},
		{"negative moment", write(func(_ map[string]string, ts []net.Tensor) []net.Tensor {
			ts[len(ts)-1].Data[0] = -1
			return ts
		}), net.ErrDamaged, "negative"},
	} {
		before := tr.Weights()
		err := tr.Load(bytes.NewReader(test.file))
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %v saying %q", test.name, err, test.want, test.says)
		}
		equalModels(t, test.name, before, tr.Weights())
	}
	if err := tr.Load(bytes.NewReader(file.Bytes())); err != nil {
		t.Errorf("the sound file: %v", err)
	}
}

func TestStepRefusesWhatIsNotFinite(t *testing.T) {
	v := international(t)
	tr := newTrainer(t, newModel(t, v, net.Config{Channels: 8, Layers: 2}), Config{Batch: 64, Warmup: -1})
	good := randomSamples(v, 64, 71)
	step(t, tr, good)
	var before, after bytes.Buffer
	if err := tr.Save(&before); err != nil {
		t.Fatal(err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, change := range map[string]func(*data.Sample){
		"policy NaN":      func(s *data.Sample) { s.Policy = append([]float32{nan}, s.Policy[1:]...) },
		"policy infinite": func(s *data.Sample) { s.Policy = append([]float32{inf}, s.Policy[1:]...) },
		"value NaN":       func(s *data.Sample) { s.Value.Draw = nan },
		"weight NaN":      func(s *data.Sample) { s.Weight = nan },
	} {
		bad := append([]data.Sample(nil), good...)
		at := 0
		for bad[at].Policy == nil {
			at++
		}
		change(&bad[at])
		if _, err := tr.Step(bad, 1); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%s: error %v, want ErrNotFinite", name, err)
		}
		if _, err := tr.Evaluate(bad); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%s: Evaluate: error %v, want ErrNotFinite", name, err)
		}
	}
	if err := tr.Save(&after); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Error("the state has changed")
	}
	for name, change := range map[string]func(*data.Sample){
		"length": func(s *data.Sample) { s.Policy = make([]float32, len(s.Moves)+1) },
		"moves":  func(s *data.Sample) { s.Moves, s.Policy = nil, []float32{} },
		"weight": func(s *data.Sample) { s.Weight = -1 },
	} {
		bad := append([]data.Sample(nil), good...)
		change(&bad[17])
		if _, err := tr.Step(bad, 1); err == nil || !strings.Contains(err.Error(), "sample 17") {
			t.Errorf("%s: error %v does not name the sample", name, err)
		}
	}
	step(t, tr, good)
}

// Rows without a policy leave the policy head alone, and weights of zero leave everything alone.
func TestRowsWithoutLoss(t *testing.T) {
	v := international(t)
	m := newModel(t, v, net.Config{Channels: 8, Layers: 2})
	cfg := Config{Batch: 64, Warmup: -1, WeightDecay: -1}
	samples := randomSamples(v, 64, 81)
	for i := range samples {
		samples[i].Policy = nil
	}
	tr := newTrainer(t, m, cfg)
	loss := step(t, tr, samples)
	if loss.Policy != 0 || loss.Value == 0 {
		t.Errorf("loss %+v", loss)
	}
	w := tr.Weights()
	for name, changed := range map[string]bool{"policy.weight": false, "policy.bias": false, "value.out.weight": true, "stem.weight": true} {
		same := true
		for i, x := range w.Param(name) {
			same = same && x == m.Param(name)[i]
		}
		if same == changed {
			t.Errorf("%s: changed %v, want %v", name, !same, changed)
		}
	}
	samples = randomSamples(v, 64, 82)
	for i := range samples {
		samples[i].Weight = 0
	}
	tr = newTrainer(t, m, cfg)
	if loss := step(t, tr, samples); loss != (Loss{}) {
		t.Errorf("loss of nothing %+v", loss)
	}
	w = tr.Weights()
	w.Steps = 0
	equalModels(t, "after a step on nothing", m, w)
}

// A weight of two is the row twice.
func TestWeightCountsRows(t *testing.T) {
	v := international(t)
	m := newModel(t, v, net.Config{Channels: 8, Layers: 2})
	samples := randomSamples(v, 64, 91)
	twice := append([]data.Sample(nil), samples...)
	for i := range samples {
		samples[i].Weight = 1
		twice[i].Weight = 1
		if i < 32 {
			twice[i].Weight = 2
			samples[i+32] = samples[i]
		} else {
			twice[i].Weight = 0
		}
	}
	a := step(t, newTrainer(t, m, Config{Batch: 64}), samples)
	b := step(t, newTrainer(t, m, Config{Batch: 64}), twice)
	if !sameLoss(a, b, true) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func TestNewRefuses(t *testing.T) {
	v := international(t)
	m := newModel(t, v, net.Config{Channels: 8, Layers: 2})
	for name, cfg := range map[string]Config{
		"Batch":        {Batch: 100},
		"LearningRate": {LearningRate: -1},
		"EMADecay":     {EMADecay: 1},
		"Clip":         {Clip: math.NaN()},
		"WeightDecay":  {WeightDecay: 2},
		"PolicyWeight": {PolicyWeight: -1, ValueWeight: -1},
		"ValueWeight":  {ValueWeight: math.Inf(1)},
		"Threads":      {Threads: -1},
		"Level":        {Level: "sse9"},
	} {
		if _, err := New(m, v, cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name the field", name, err)
		}
	}
	other, err := rules.Lookup("international", rules.Options{"equal": "king-first"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(m, other, Config{}); !errors.Is(err, net.ErrForeign) {
		t.Errorf("another variant: error %v", err)
	}
}

// New must not train the caller's model.
func TestNewCopies(t *testing.T) {
	v := international(t)
	m := newModel(t, v, net.Config{Channels: 8, Layers: 2})
	before := m.Clone()
	tr := newTrainer(t, m, Config{Batch: 32})
	taken := tr.EMA()
	step(t, tr, randomSamples(v, 32, 95))
	equalModels(t, "the caller's model", before, m)
	equalModels(t, "a model taken before", before, taken)
}

// A step allocates nothing, nor does an evaluation.
func TestStepAllocs(t *testing.T) {
	v := international(t)
	for _, c := range []net.Config{{Channels: 8, Layers: 4}, {Arch: net.MLP, Hidden: 32}} {
		tr := newTrainer(t, newModel(t, v, c), Config{Batch: 64, Threads: 2})
		samples := randomSamples(v, 64, 99)
		step(t, tr, samples)
		step(t, tr, samples) // the mirror has seen both halves
		if n := testing.AllocsPerRun(5, func() {
			if _, err := tr.Step(samples, 1); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations in a step", c.Arch, n)
		}
		if n := testing.AllocsPerRun(2, func() {
			if _, err := tr.Evaluate(samples); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations in an evaluation", c.Arch, n)
		}
	}
}

func TestResolve(t *testing.T) {
	zero := Config{}.Resolve()
	if zero.Batch != 512 || zero.LearningRate != 1e-3 || zero.Warmup != 500 || zero.WeightDecay != 0.01 || zero.Clip != 5 ||
		zero.EMADecay != 0.995 || zero.PolicyWeight != 1 || zero.ValueWeight != 1 || zero.Threads < 1 || zero.Level == "" {
		t.Errorf("defaults %+v", zero)
	}
	off := Config{Warmup: -1, WeightDecay: -1, Clip: -1, PolicyWeight: -1}
	for _, c := range []Config{{}, off, {Batch: 64, Threads: 3}} {
		if once := c.Resolve(); once.Resolve() != once {
			t.Errorf("%+v resolves to %+v, and that to %+v", c, once, once.Resolve())
		}
		if err := c.Resolve().Validate(); err != nil {
			t.Error(err)
		}
	}
}
