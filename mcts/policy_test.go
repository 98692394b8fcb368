package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// paperPolicy is the improved policy as Danihelka et al. (ICLR 2022) write it, in float64, formula
// by formula: completed Q of eq. 10 with v_mix of eq. 33, sigma of eq. 8, pi' of eq. 11.
func paperPolicy(cVisit, cScale, value float64, pi, q []float64, n []int) (policy, completed []float64) {
	sumN, sumPi, sumPiQ, maxN := 0.0, 0.0, 0.0, 0.0
	for b := range n {
		sumN += float64(n[b])
		maxN = math.Max(maxN, float64(n[b]))
		if n[b] > 0 {
			sumPi += pi[b]
			sumPiQ += pi[b] * q[b]
		}
	}
	mix := value
	if sumN > 0 {
		mix = 1 / (1 + sumN) * (value + sumN/sumPi*sumPiQ)
	}
	sigma := func(q float64) float64 { return (cVisit + maxN) * cScale * q }
	z := 0.0
	for a := range pi {
		c := mix
		if n[a] > 0 {
			c = q[a]
		}
		completed = append(completed, c)
		policy = append(policy, math.Exp(math.Log(pi[a])+sigma(c)-sigma(1)))
		z += policy[a]
	}
	for a := range policy {
		policy[a] /= z
	}
	return policy, completed
}

// TestImprovedPolicy compares with the paper's formulas, and checks what they are for: by the
// completed values the improved policy is worth at least as much as the prior.
func TestImprovedPolicy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		k := 1 + rng.IntN(20)
		cfg := Config{CVisit: float64(1 + rng.IntN(60)), CScale: 0.05 + rng.Float64()}
		priors, values, visits, got := make([]float32, k), make([]float32, k), make([]int32, k), make([]float32, k)
		sum := float32(0)
		for i := range priors {
			priors[i] = float32(math.Exp(3 * rng.NormFloat64()))
			sum += priors[i]
		}
		total := 0
		for i := range priors {
			priors[i] = max(priors[i]/sum, 1e-8)
			values[i] = nan
			if rng.IntN(3) > 0 {
				visits[i], values[i] = int32(1+rng.IntN(100)), rng.Float32()
			}
			total += int(visits[i])
		}
		a, b := rng.Float32(), rng.Float32()
		raw := rules.WDL{Win: min(a, b), Draw: max(a, b) - min(a, b), Loss: 1 - max(a, b)}
		improvedPolicy(got, cfg.WithDefaults(), raw, priors, values, visits)

		pi, q, n := make([]float64, k), make([]float64, k), make([]int, k)
		for i := range pi {
			pi[i], q[i], n[i] = float64(priors[i]), float64(values[i]), int(visits[i])
		}
		want, completed := paperPolicy(cfg.CVisit, cfg.CScale, float64(raw.Score()), pi, q, n)
		if total == 0 {
			want = pi
		}
		mass, before, after, all := 0.0, 0.0, 0.0, 0.0
		for i := range got {
			if math.Abs(float64(got[i])-want[i]) > 1e-5 {
				t.Fatalf("move %d: %g, want %g\npriors %v\nvalues %v\nvisits %v", i, got[i], want[i], priors, values, visits)
			}
			mass += float64(got[i])
			all += pi[i]
			before += pi[i] * completed[i]
			after += float64(got[i]) * completed[i]
		}
		if math.Abs(mass-1) > 1e-5 {
			t.Fatalf("the policy sums to %g", mass)
		}
		if after < before/all-1e-5 {
			t.Fatalf("worth %g, the prior %g", after, before/all)
		}
	}
}

// TestImprovedPolicyCases: the cases at the edge, with results worked out by hand.
func TestImprovedPolicyCases(t *testing.T) {
	half := rules.WDL{Win: 0.5, Loss: 0.5}
	for _, c := range []struct {
		name           string
		cfg            Config
		priors, values []float32
		visits         []int32
		want           []float32
	}{
		{"no visits", Config{}, []float32{0.75, 0.25}, []float32{nan, nan}, []int32{0, 0}, []float32{0.75, 0.25}},
		{"no visits, PUCT", Config{Root: PUCT}, []float32{0.75, 0.25}, []float32{nan, nan}, []int32{0, 0}, []float32{0.75, 0.25}},
		{"PUCT", Config{Root: PUCT}, []float32{0.75, 0.25}, []float32{0, 1}, []int32{1, 3}, []float32{0.25, 0.75}},
		{"one move", Config{}, []float32{1}, []float32{0.3}, []int32{9}, []float32{1}},
		{"equal values leave the priors", Config{}, []float32{0.6, 0.4}, []float32{0.5, 0.5}, []int32{4, 2}, []float32{0.6, 0.4}},
		// (1 + 1) * ln 3 / 2 * (1 - 0) = ln 3: three times as likely.
		{"sigma", Config{CVisit: 1, CScale: math.Log(3) / 2}, []float32{0.5, 0.5}, []float32{1, 0}, []int32{1, 1}, []float32{0.75, 0.25}},
		// v_mix = (0.5 + 1*1) / 2 = 0.75; (1 + 1) * 2 ln 3 * (1 - 0.75) = ln 3.
		{"v_mix", Config{CVisit: 1, CScale: 2 * math.Log(3)}, []float32{0.5, 0.5}, []float32{1, nan}, []int32{1, 0}, []float32{0.75, 0.25}},
		{"a prior of 0 can be overcome", Config{CScale: 5}, []float32{1, 0}, []float32{0, 1}, []int32{5, 5}, []float32{0, 1}},
		{"only excluded moves visited", Config{}, []float32{1, 0}, []float32{nan, 0.5}, []int32{0, 3}, []float32{1, 0}},
	} {
		got := make([]float32, len(c.priors))
		improvedPolicy(got, c.cfg.WithDefaults(), half, c.priors, c.values, c.visits)
		for i := range got {
			if !(math.Abs(float64(got[i]-c.want[i])) < 1e-6) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// TestPolicyOfResult: a result's policy follows from its other fields.
func TestPolicyOfResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for i := range 20 {
		cfg := Config{Root: roots[i%2], CScale: 0.1}
		g := randomGame(rng, 30)
		if len(g.Legal()) == 1 {
			continue
		}
		r := run(t, NewSearch(rules.International, cfg), g, Budget{Simulations: rng.IntN(80), Noise: 1}, rng, scatter, 1)
		got := make([]float32, len(r.Visits))
		improvedPolicy(got, cfg.WithDefaults(), r.Raw, r.Priors, r.Values, r.Visits)
		for j := range got {
			if got[j] != r.Policy[j] {
				t.Fatalf("rebuilt %v, the result has %v", got, r.Policy)
			}
		}
	}
}

// TestSample: the PUCT rule draws by visits and temperature, the Gumbel rule plays its choice.
func TestSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	r := Result{Visits: []int32{1, 0, 4, 3}, Best: 2, rule: PUCT}
	for _, c := range []struct {
		temperature float64
		want        []float64
	}{
		{1, []float64{1. / 8, 0, 4. / 8, 3. / 8}},
		{0.5, []float64{1. / 26, 0, 16. / 26, 9. / 26}},
		{0, []float64{0, 0, 1, 0}},
		{1e-3, []float64{0, 0, 1, 0}},
	} {
		const draws = 20000
		got := make([]float64, 4)
		for range draws {
			got[r.Sample(rng, c.temperature)] += 1. / draws
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 0.015 { // over four standard errors
				t.Errorf("temperature %g: %v, want %v", c.temperature, got, c.want)
				break
			}
		}
	}
	r.rule = Gumbel
	if i := r.Sample(nil, 1); i != 2 {
		t.Errorf("the Gumbel rule samples %d, its choice is 2", i)
	}
	if r := (Result{Visits: []int32{0, 0}, Best: 1, rule: PUCT}); r.Sample(nil, 1) != 1 {
		t.Error("a result without visits samples another move than the best")
	}
}

// TestGumbelSamples: with noise of scale 1 and no budget to speak of, the choice is a sample of
// the priors.
func TestGumbelSamples(t *testing.T) {
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{})
	rng := rand.New(rand.NewPCG(6, 1))
	const draws = 20000
	got := make([]float64, len(g.Legal()))
	var want []float32
	var leaves []Leaf
	for range draws {
		s.Start(g, Budget{Simulations: 0, Noise: 1}, rng)
		leaves = s.Gather(leaves[:0], 1)
		scatter(&leaves[0])
		s.Backup(leaves)
		r := s.Result()
		got[r.Best] += 1. / draws
		want = r.Priors
	}
	for i := range got {
		if math.Abs(got[i]-float64(want[i])) > 0.015 {
			t.Errorf("played %v, priors %v", got, want)
			break
		}
	}
}

// TestDirichlet: the noise of the PUCT rule is a point of the simplex, its spread that of its
// Alpha, and the priors of the result stay without it.
func TestDirichlet(t *testing.T) {
	g := rules.NewGame(rules.International)
	k := float64(len(g.Legal()))
	rng := rand.New(rand.NewPCG(8, 1))
	for _, alpha := range []float64{0.3, 1, 5} {
		s := NewSearch(rules.International, Config{Root: PUCT, Alpha: alpha, Fraction: 0.5})
		const draws = 5000
		mean, square := 0.0, 0.0
		for range draws {
			s.Start(g, Budget{Simulations: 0, Noise: 1}, rng)
			sum := 0.0
			for _, x := range s.root.noise {
				sum += x
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("noise sums to %g", sum)
			}
			mean += s.root.noise[0] / draws
			square += s.root.noise[0] * s.root.noise[0] / draws
		}
		// Variance of one part: (1/k)(1-1/k) / (k alpha + 1).
		variance := (1 / k) * (1 - 1/k) / (k*alpha + 1)
		if got := square - mean*mean; math.Abs(mean-1/k) > 0.01 || math.Abs(got/variance-1) > 0.15 {
			t.Errorf("alpha %g: mean %g, variance %g, want %g and %g", alpha, mean, got, 1/k, variance)
		}
		r := run(t, s, g, Budget{Simulations: 0, Noise: 1}, rng, uniform, 1)
		for i, p := range r.Priors {
			if p != 1/float32(k) || math.Abs(float64(s.root.priors[i])-(0.5/k+0.5*s.root.noise[i])) > 1e-6 {
				t.Fatalf("prior %g, with noise %g of %g", p, s.root.priors[i], s.root.noise[i])
			}
		}
	}
}

// TestVariantDefaults: a variant's own constants stand where none are set, and only there.
func TestVariantDefaults(t *testing.T) {
	turkish := lookup(t, "turkish")
	if c := (Config{}).For(turkish); c.Candidates != 32 {
		t.Errorf("in Turkish draughts %+v", c)
	}
	if c := (Config{Candidates: 8}).For(turkish); c.Candidates != 8 {
		t.Errorf("set in Turkish draughts: %+v", c)
	}
	if c := (Config{}).For(rules.International); c != (Config{}).WithDefaults() {
		t.Errorf("in international draughts %+v", c)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, ""},
		{Config{}.WithDefaults(), ""},
		{Config{Root: PUCT, FPU: -1}, ""},
		{Config{Root: "best"}, `mcts: Root is "best", want "gumbel" or "puct"`},
		{Config{Candidates: -1}, "mcts: Candidates is -1, want 1 to 255"},
		{Config{CScale: math.NaN()}, "mcts: CScale is NaN, want 0 to 1e+06"},
		{Config{Fraction: 1.5}, "mcts: Fraction is 1.5, want -1 to 1"},
		{Config{RepetitionDraw: 1}, "mcts: RepetitionDraw is 1, want 2 to 3"},
		{Config{MaxNodes: -5}, "mcts: MaxNodes is -5, want 1 to 8.388608e+06"},
	} {
		got := ""
		if err := c.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.cfg, got, c.want)
		}
	}
}
