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

func TestReLUMask(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, a, b, c guarded) {
		for i := range a.s {
			switch i % 7 {
			case 3:
				a.s[i] = 0
			case 5:
				a.s[i] = float32(math.Copysign(0, -1))
			}
		}
		ReLUMask(level, c.s, a.s, b.s)
		for i, y := range a.s {
			want := b.s[i]
			if y <= 0 {
				want = 0
			}
			if c.s[i] != want {
				t.Fatalf("%v length %d: gradient %g where y is %g and dy is %g", level, n, c.s[i], y, b.s[i])
			}
		}
		copy(c.s, b.s)
		ReLUMask(level, b.s, a.s, b.s) // in place
		for i, y := range a.s {
			if want := c.s[i]; y > 0 && b.s[i] != want || !(y > 0) && b.s[i] != 0 {
				t.Fatalf("%v length %d: gradient %g in place where y is %g and dy is %g", level, n, b.s[i], y, want)
			}
		}
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
			if ReLUMask(level, y, one, x); y[at] == y[at] {
				t.Errorf("%v: masked gradient of NaN is %g", level, y[at])
			}
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
			if p.Step(level, w, m, v, x, nil); w[at] == w[at] || w[1] != w[1] {
				t.Errorf("%v: weight after a NaN gradient is %g, another %g", level, w[at], w[1])
			}
		}
		l := Dense()
		c := NewConv(level, l, 3, 8)
		w, x, y := make([]float32, 3*8), make([]float32, 3*Lanes), make([]float32, 8*Lanes)
		c.Pack(w)
		x[Lanes+5] = nan
		c.Forward(y, x, nil, nil, true)
		for i, v := range y {
			if isNaN := v != v; isNaN != (i%Lanes == 5) {
				t.Fatalf("%v: output %d is %g, want NaN on board 5 only", level, i, v)
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

func TestSquares(t *testing.T) {
	for _, level := range Levels() {
		for _, channels := range []int{1, 2, 7, 8, 9, 17, 48} {
			for _, squares := range []int{1, 2, 3, 50} {
				name := fmt.Sprintf("%v %d channels %d squares", level, channels, squares)
				rng := rand.New(rand.NewPCG(5, uint64(channels*squares)))
				row := channels * Lanes
				x, sum, bias := random(rng, squares*row), random(rng, row), random(rng, channels)

				want := make([]float64, row)
				wantBias := wide(channels, func(c int) float64 { return float64(bias.s[c]) })
				for i, v := range x.s {
					want[i%row] += float64(v)
					wantBias[i%row/Lanes] += float64(v)
				}
				SumSquares(level, sum.s, x.s, squares)
				near(t, name+" SumSquares", sum.s, want)
				SumLanes(level, bias.s, x.s, squares)
				near(t, name+" SumLanes", bias.s, wantBias)

				want = wide(len(x.s), func(i int) float64 { return 0.25 * float64(sum.s[i%row]) })
				y := random(rng, squares*row)
				Broadcast(level, y.s, sum.s, squares, 0.25)
				near(t, name+" Broadcast", y.s, want)
				for i, v := range x.s {
					want[i] += float64(v)
				}
				AddBroadcast(level, x.s, sum.s, squares, 0.25)
				near(t, name+" AddBroadcast", x.s, want)
				for _, g := range []guarded{x, y, sum, bias} {
					g.check(t, name)
				}
			}
		}
	}
}

// testStep is the third step of a run with usual constants.
var testStep = AdamW{
	Rate: 0.01, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Decay: 0.05, GradScale: 0.5,
	Correction1: 1 - 0.9*0.9*0.9, Correction2: 1 - 0.99*0.99*0.99, Average: 0.9,
}

func TestAdamW(t *testing.T) {
	eachVector(t, func(t *testing.T, level Level, n int, w, m, g guarded) {
		name := fmt.Sprintf("%v length %d", level, n)
		rng := rand.New(rand.NewPCG(6, uint64(n)))
		v, ema := random(rng, n), random(rng, n)
		for i, x := range v.s {
			v.s[i] = x*x + 0.01
		}
		p := testStep
		rate, decay, eps := float64(p.Rate), float64(p.Decay), float64(p.Epsilon)
		wantM := wide(n, func(i int) float64 { return 0.9*float64(m.s[i]) + 0.1*0.5*float64(g.s[i]) })
		wantV := wide(n, func(i int) float64 { return 0.99*float64(v.s[i]) + 0.01*0.25*float64(g.s[i])*float64(g.s[i]) })
		wantW := wide(n, func(i int) float64 {
			mHat, vHat := wantM[i]/float64(p.Correction1), wantV[i]/float64(p.Correction2)
			return float64(w.s[i]) - rate*(mHat/(math.Sqrt(vHat)+eps)+decay*float64(w.s[i]))
		})
		wantE := wide(n, func(i int) float64 { return 0.9*float64(ema.s[i]) + 0.1*wantW[i] })
		without := [3][]float32{append([]float32(nil), w.s...), append([]float32(nil), m.s...), append([]float32(nil), v.s...)}
		p.Step(level, w.s, m.s, v.s, g.s, ema.s)
		near(t, name+" m", m.s, wantM)
		near(t, name+" v", v.s, wantV)
		near(t, name+" w", w.s, wantW)
		near(t, name+" ema", ema.s, wantE)
		v.check(t, name)
		ema.check(t, name)
		p.Step(level, without[0], without[1], without[2], g.s, nil)
		near(t, name+" w without ema", without[0], wantW)
	})
}

func TestBadLengths(t *testing.T) {
	x := make([]float32, 10*8*Lanes)
	l := line(t, 2, 1)
	c := NewConv(Generic, l, 3, 8)
	g := NewConvGrad(Generic, l, 3, 8)
	for name, f := range map[string]func(){
		"ci 0":               func() { NewConv(Generic, l, 0, 8) },
		"co 0":               func() { NewConv(Generic, l, 8, 0) },
		"co 12":              func() { NewConvGrad(Generic, l, 8, 12) },
		"level":              func() { NewConv(Best()+1, l, 8, 8) },
		"Pack":               func() { c.Pack(x[:3]) },
		"PackTransposed":     func() { c.PackTransposed(x[:3]) },
		"Forward dst":        func() { c.Forward(x[:2*8*Lanes-1], x[:2*3*Lanes], nil, nil, false) },
		"Forward src":        func() { c.Forward(x[:2*8*Lanes], x[:2*3*Lanes+1], nil, nil, false) },
		"Forward bias":       func() { c.Forward(x[:2*8*Lanes], x[:2*3*Lanes], x[:7], nil, false) },
		"Forward residual":   func() { c.Forward(x[:2*8*Lanes], x[:2*3*Lanes], nil, x[:7], false) },
		"AddBlocks":          func() { g.AddBlocks(x[:2*3*Lanes], x[:2*8*Lanes], 2) },
		"Sum":                func() { g.Sum(x[:3]) },
		"Sum of another":     func() { g.Sum(x[:3*3*8], NewConvGrad(Generic, l, 4, 8)) },
		"SumSquares":         func() { SumSquares(Generic, x[:32], x[:65], 2) },
		"SumSquares none":    func() { SumSquares(Generic, x[:32], nil, 0) },
		"AddBroadcast":       func() { AddBroadcast(Generic, x[:64], x[:64], 2, 1) },
		"Broadcast":          func() { Broadcast(Generic, x[:64], x[:64], 2, 1) },
		"SumLanes":           func() { SumLanes(Generic, x[:2], x[:64], 2) },
		"Axpy":               func() { Axpy(Generic, x[:2], 1, x[:3]) },
		"Scale":              func() { Scale(Generic, x[:2], 1, x[:3]) },
		"ReLUMask":           func() { ReLUMask(Generic, x[:2], x[:2], x[:3]) },
		"Dot":                func() { Dot(Generic, x[:2], x[:3]) },
		"ClippedSquare":      func() { ClippedSquare(Generic, x[:2], x[:3]) },
		"ClippedSquareGrad":  func() { ClippedSquareGrad(Generic, x[:2], x[:2], x[:3], 1) },
		"AdamW":              func() { new(AdamW).Step(Generic, x[:2], x[:2], x[:2], x[:2], x[:1]) },
		"AdamW without mean": func() { new(AdamW).Step(Generic, x[:2], x[:2], x[:2], x[:3], nil) },
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
	const blocks = 3
	l := diagonal(t, 4, 4)
	rng := rand.New(rand.NewPCG(7, 7))
	x, y := random(rng, blocks*8*10*Lanes).s, random(rng, blocks*8*16*Lanes).s
	bx, by := len(x)/blocks, len(y)/blocks
	row := make([]float32, 16*Lanes)
	bias := make([]float32, 16)
	m, v, e := make([]float32, len(y)), make([]float32, len(y)), make([]float32, len(y))
	p := testStep
	for _, level := range Levels() {
		c := NewConv(level, l, 10, 16)
		w := make([]float32, 5*10*16)
		g, part := NewConvGrad(level, l, 10, 16), NewConvGrad(level, l, 10, 16)
		parts := []*ConvGrad{part}
		if n := testing.AllocsPerRun(5, func() {
			c.Pack(w)
			c.Forward(y[:by], x[:bx], bias, y[:by], true)
			g.Reset()
			g.AddBlocks(x, y, blocks)
			g.Sum(w, parts...)
			SumSquares(level, row, y[:by], 8)
			AddBroadcast(level, y[:by], row, 8, 0.1)
			Broadcast(level, m[:by], row, 8, 0.1)
			SumLanes(level, bias, y, 8*blocks)
			ReLUMask(level, m, y, y)
			Axpy(level, m, 0.1, y)
			Scale(level, v, 0, y)
			SumOfSquares(level, y)
			Dot(level, y, m)
			ClippedSquare(level, m, y)
			ClippedSquareGrad(level, m, y, v, 0.1)
			Clip(level, m, 1)
			p.Step(level, y, m, v, y, e)
		}); n != 0 {
			t.Errorf("%v: %g allocations, want none", level, n)
		}
	}
}
