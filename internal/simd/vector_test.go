package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lengths are 0 to 67, and some that are many rows.
func lengths() []int {
	var ns []int
	for n := range 68 {
		ns = append(ns, n)
	}
	return append(ns, 127, 128, 1000, 4096, 4097, 10_007)
}

// eachVector calls f for all levels and lengths, with three random operands.
func eachVector(t *testing.T, f func(t *testing.T, level Level, n int, a, b, c guarded)) {
	for _, level := range Levels() {
		for _, n := range lengths() {
			rng := rand.New(rand.NewPCG(4, uint64(n)))
			a, b, c := random(rng, n), random(rng, n), random(rng, n)
			f(t, level, n, a, b, c)
			for _, g := range []guarded{a, b, c} {
				g.check(t, fmt.Sprintf("%v length %d", level, n))
			}
		}
	}
}

// wide returns f of each place.
func wide(n int, f func(i int) float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = f(i)
	}
	return w
}

func TestAxpyAndScale(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, a, b, c guarded) {
		name := fmt.Sprintf("%v length %d", level, n)
		want := wide(n, func(i int) float64 { return float64(a.s[i]) - 1.5*float64(b.s[i]) })
		Axpy(level, a.s, -1.5, b.s)
		near(t, name, a.s, want)
		want = wide(n, func(i int) float64 { return 0.3 * float64(b.s[i]) })
		Scale(level, c.s, 0.3, b.s)
		near(t, name, c.s, want)
		Scale(level, b.s, 0.3, b.s)
		near(t, name+" in place", b.s, want)
	})
}

// A diverging network must be seen: no kernel may turn NaN into a number.
func TestNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, level := range Levels() {
		for _, at := range []int{0, 31, 45} {
			x, y, one := make([]float32, 50), make([]float32, 50), make([]float32, 50)
			for i := range one {
				one[i] = 1
			}
			x[at] = nan
			if s := SumOfSquares(level, x); s == s {
				t.Errorf("%v: sum of squares with NaN is %g", level, s)
			}
			if s := Dot(level, one, x); s == s {
				t.Errorf("%v: product with NaN is %g", level, s)
			}
			if ClippedSquare(level, y, x); y[at] == y[at] {
				t.Errorf("%v: NaN is clipped to %g", level, y[at])
			}
			if Clip(level, x, 1); x[at] == x[at] {
				t.Errorf("%v: NaN is clipped to %g", level, x[at])
			}
			if Axpy(level, y, 1, x); y[at] == y[at] {
				t.Errorf("%v: sum with NaN is %g", level, y[at])
			}
			w, m, v := make([]float32, 50), make([]float32, 50), make([]float32, 50)
			p := testStep
			if p.Step(level, w, m, v, x); w[at] == w[at] || w[1] != w[1] {
				t.Errorf("%v: weight after a NaN gradient is %g, another %g", level, w[at], w[1])
			}
		}
	}
}

func TestSumOfSquares(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, a, _, _ guarded) {
		want := 0.0
		for _, v := range a.s {
			want += float64(v) * float64(v)
		}
		if got := SumOfSquares(level, a.s); !(math.Abs(got-want) <= 1e-5*want) {
			t.Fatalf("%v length %d: sum of squares %g, want %g", level, n, got, want)
		}
	})
}

func TestDot(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, a, b, c guarded) {
		want := 0.0
		for i, x := range a.s {
			want += float64(x) * float64(b.s[i])
		}
		if got := Dot(level, a.s, b.s); math.Abs(float64(got)-want) > 1e-4*math.Sqrt(float64(n+1))*10 {
			t.Fatalf("%v length %d: %g, want %g", level, n, got, want)
		}
	})
}

// The activation, its derivative and the bounds are the same to the bit at every level.
func TestClipped(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, a, b, c guarded) {
		for i := range a.s { // the ends of the slope too
			switch i % 9 {
			case 2:
				a.s[i] = 0
			case 5:
				a.s[i] = 1
			case 7:
				a.s[i] = math.Nextafter32(1, 0)
			}
		}
		name := fmt.Sprintf("%v length %d", level, n)
		ClippedSquare(level, c.s, a.s)
		for i, x := range a.s {
			if y := min(max(x, 0), 1); c.s[i] != y*y {
				t.Fatalf("%s: %g is squared to %g", name, x, c.s[i])
			}
		}
		ClippedSquareGrad(level, c.s, a.s, b.s, -1.5)
		for i, x := range a.s {
			want := 2 * x * b.s[i] * -1.5
			if x <= 0 || x >= 1 {
				want = 0
			}
			if c.s[i] != want {
				t.Fatalf("%s: gradient %g at %g with weight %g, want %g", name, c.s[i], x, b.s[i], want)
			}
		}
		for i, x := range a.s {
			b.s[i] = min(max(x, -0.75), 0.75)
		}
		Clip(level, a.s, 0.75)
		for i, x := range a.s {
			if x != b.s[i] {
				t.Fatalf("%s: clipped to %g, want %g", name, x, b.s[i])
			}
		}
	})
}

// testStep is the third step of a run with usual constants.
var testStep = AdamW{
	Rate: 0.01, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Decay: 0.05,
	Correction1: 1 - 0.9*0.9*0.9, Correction2: 1 - 0.99*0.99*0.99,
}

func TestAdamW(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, w, m, g guarded) {
		name := fmt.Sprintf("%v length %d", level, n)
		rng := rand.New(rand.NewPCG(6, uint64(n)))
		v := random(rng, n)
		for i, x := range v.s {
			v.s[i] = x*x + 0.01
		}
		p := testStep
		rate, decay, eps := float64(p.Rate), float64(p.Decay), float64(p.Epsilon)
		wantM := wide(n, func(i int) float64 { return 0.9*float64(m.s[i]) + 0.1*float64(g.s[i]) })
		wantV := wide(n, func(i int) float64 { return 0.99*float64(v.s[i]) + 0.01*float64(g.s[i])*float64(g.s[i]) })
		wantW := wide(n, func(i int) float64 {
			mHat, vHat := wantM[i]/float64(p.Correction1), wantV[i]/float64(p.Correction2)
			return float64(w.s[i]) - rate*(mHat/(math.Sqrt(vHat)+eps)+decay*float64(w.s[i]))
		})
		p.Step(level, w.s, m.s, v.s, g.s)
		near(t, name+" m", m.s, wantM)
		near(t, name+" v", v.s, wantV)
		near(t, name+" w", w.s, wantW)
		v.check(t, name)
	})
}

func TestBadLengths(t *testing.T) {
	x := make([]float32, 3)
	for name, f := range map[string]func(){
		"Axpy":              func() { Axpy(Generic, x[:2], 1, x[:3]) },
		"Scale":             func() { Scale(Generic, x[:2], 1, x[:3]) },
		"Dot":               func() { Dot(Generic, x[:2], x[:3]) },
		"ClippedSquare":     func() { ClippedSquare(Generic, x[:2], x[:3]) },
		"ClippedSquareGrad": func() { ClippedSquareGrad(Generic, x[:2], x[:2], x[:3], 1) },
		"AdamW":             func() { new(AdamW).Step(Generic, x[:2], x[:2], x[:1], x[:2]) },
		"AdamW gradient":    func() { new(AdamW).Step(Generic, x[:2], x[:2], x[:2], x[:3]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestNoAllocation(t *testing.T) {
	const n = 1000
	y := random(rand.New(rand.NewPCG(7, 7)), n).s
	m, v := make([]float32, n), make([]float32, n)
	p := testStep
	for _, level := range Levels() {
		if n := testing.AllocsPerRun(5, func() {
			Axpy(level, m, 0.1, y)
			Scale(level, v, 0, y)
			SumOfSquares(level, y)
			Dot(level, y, m)
			ClippedSquare(level, m, y)
			ClippedSquareGrad(level, m, y, v, 0.1)
			Clip(level, m, 1)
			p.Step(level, y, m, v, y)
		}); n != 0 {
			t.Errorf("%v: %g allocations, want none", level, n)
		}
	}
}
