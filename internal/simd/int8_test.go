package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// int8Shapes are lattices with channels for Int8Conv: every number of vectors in a tile, and tiles beside each other.
func int8Shapes(t testing.TB) []shape {
	six, eight := diagonal(t, 6, 6), diagonal(t, 8, 6)
	return []shape{
		{"dense 16x16", Dense(), 16, 16},
		{"dense 32x112", Dense(), 32, 112},
		{"line 16x48", line(t, 3, 1), 16, 48},
		{"board 48x32", eight, 48, 32},
		{"board 16x64", eight, 16, 64},
		{"board 64x64", six, 64, 64},
		{"board 32x48", eight, 32, 48},
		{"board 32x80", six, 32, 80},
		{"nine taps 64x64", line(t, 12, 4), 64, 64},
		{"wide 128x128", line(t, 5, 8), 128, 128},
	}
}

// guardedBytes is a slice with guards before and after it, at an odd offset.
type guardedBytes struct{ all, s []uint8 }

const guardByte = 0xa5 // no activation: above Int8Most

func newGuardedBytes(n int) guardedBytes {
	const margin = 37
	g := guardedBytes{all: make([]uint8, n+2*margin)}
	for i := range g.all {
		g.all[i] = guardByte
	}
	g.s = g.all[margin : margin+n : margin+n]
	clear(g.s)
	return g
}

func (g guardedBytes) check(t *testing.T, name string) {
	t.Helper()
	margin := (len(g.all) - len(g.s)) / 2
	for i := range margin {
		if g.all[i] != guardByte || g.all[len(g.all)-1-i] != guardByte {
			t.Fatalf("%s: written outside the slice, %d values from its ends", name, margin-1-i)
		}
	}
}

// int8Reference is the formula of Int8Conv.Forward, with raw weights; it returns the rounded values and those before.
func int8Reference(s shape, src []uint8, w []int8, bias []int32, scale []float32, residual []uint8, ratio float32) (dst []uint8, floats []float32) {
	for q, row := range s.l.Neighbour {
		for o := range s.co {
			sum := int64(bias[o])
			if len(bias) > s.co {
				sum = int64(bias[q*s.co+o])
			}
			for t, n := range row {
				if n < 0 {
					continue
				}
				for i := range s.ci {
					sum += int64(src[n*s.ci+i]) * int64(w[(t*s.ci+i)*s.co+o])
				}
			}
			if sum != int64(int32(sum)) {
				panic("the test overflows")
			}
			y := float32(sum) * scale[o]
			floats = append(floats, y)
			if residual != nil {
				r := float32(residual[q*s.co+o]) * ratio
				y += r
			}
			dst = append(dst, uint8(min(127, max(0, math.RoundToEven(float64(y))))))
		}
	}
	return dst, floats
}

// TestInt8Conv: every level gives the integers of the formula, in ordinary cases and in those that come nearest to an
// overflow.
func TestInt8Conv(t *testing.T) {
	for _, level := range Levels() {
		t.Logf("%v runs the kernels of %s", level, level.Int8Name())
	}
	for _, s := range int8Shapes(t) {
		rng := rand.New(rand.NewPCG(21, uint64(s.ci*s.co)))
		n := s.l.Taps * s.ci * s.co
		ordinary := random(rng, n).s
		largest := make([]int8, n) // fills the positive or the negative half of each lane, by output channel
		for i := range largest {
			x := []int8{127, 127, 4, 0, 0, 0, 0, 0}
			if i/s.co%Int8Step < 4 {
				x[2], x[3] = 2, 2
			}
			largest[i] = x[i/s.co%Int8Step/4*2+i/s.co&1]
			if i%s.co%2 == 1 {
				largest[i] = -largest[i]
			}
		}
		fitted, _ := Int8Weights(ordinary, s.l.Taps, s.ci, s.co, make([]float32, s.co))
		for name, w := range map[string][]int8{"ordinary": fitted, "largest": largest} {
			src := newGuardedBytes(s.l.Squares * s.ci)
			residual := newGuardedBytes(s.l.Squares * s.co)
			scale := newGuarded(s.co)
			for i := range src.s {
				if src.s[i] = uint8(rng.IntN(128)); name == "largest" {
					src.s[i] = Int8Most
				}
			}
			for i := range residual.s {
				residual.s[i] = uint8(rng.IntN(128))
			}
			for i := range scale.s {
				scale.s[i] = float32(rng.Float64()) * 80 / (40 * 60 * float32(math.Sqrt(float64(s.l.Taps*s.ci))))
			}
			for mask := range 4 {
				bias := make([]int32, s.co)
				if mask&1 != 0 {
					bias = make([]int32, s.l.Squares*s.co)
				}
				for i := range bias {
					bias[i] = int32(rng.IntN(200_000) - 100_000)
				}
				r, ratio := residual.s, float32(0.83)
				if mask&2 != 0 {
					r = nil
				}
				want, floats := int8Reference(s, src.s, w, bias, scale.s, r, ratio)
				for _, level := range Levels() {
					name := fmt.Sprintf("%s %s %s, mask %d", level.Int8Name(), s.name, name, mask)
					c := NewInt8Conv(level, s.l, s.ci, s.co)
					c.Pack(w)
					got := newGuardedBytes(len(want))
					c.Forward(got.s, src.s, bias, scale.s, r, ratio)
					got.check(t, name)
					if !slices.Equal(got.s, want) {
						t.Fatalf("%s: other integers than the formula", name)
					}
					if r != nil { // in place
						copy(got.s, r)
						c.Forward(got.s, src.s, bias, scale.s, got.s, ratio)
						if !slices.Equal(got.s, want) {
							t.Fatalf("%s: other integers in place", name)
						}
					}
					f := newGuarded(len(want))
					c.ForwardFloat(f.s, src.s, bias, scale.s)
					f.check(t, name)
					if !slices.Equal(f.s, floats) {
						t.Fatalf("%s: other floats than the formula", name)
					}
				}
			}
			if name == "ordinary" {
				inside := 0
				want, _ := int8Reference(s, src.s, w, make([]int32, s.co), scale.s, nil, 0)
				for _, x := range want {
					if x > 0 && x < Int8Most {
						inside++
					}
				}
				if inside < len(want)/8 {
					t.Errorf("%s: only %d of %d values lie between the ends", s.name, inside, len(want))
				}
			}
		}
	}
}

// TestInt8Extremes: values far outside of what a float32 can hold as an integer are cut off, not wrapped.
func TestInt8Extremes(t *testing.T) {
	s := shape{"", Dense(), 16, 16}
	bias := make([]int32, 16)
	scale := make([]float32, 16)
	for i := range bias {
		bias[i], scale[i] = 1<<30, float32(math.Pow(10, float64(i-3)))
		if i%2 == 1 {
			bias[i] = -bias[i]
		}
	}
	src, w := make([]uint8, 16), make([]int8, 256)
	want, _ := int8Reference(s, src, w, bias, scale, nil, 0)
	for _, level := range Levels() {
		c := NewInt8Conv(level, s.l, s.ci, s.co)
		got := make([]uint8, 16)
		c.Forward(got, src, bias, scale, nil, 0)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", level.Int8Name(), got, want)
		}
	}
}

// TestInt8Weights: what comes out fits, is as fine as the limits allow, and is near the weights.
func TestInt8Weights(t *testing.T) {
	const taps, ci, co = 5, 32, 32
	rng := rand.New(rand.NewPCG(3, 4))
	w := random(rng, taps*ci*co).s
	least := make([]float32, co)
	for i := range taps * ci {
		w[i*co] = 1           // equal weights fill their lanes
		w[i*co+1] = 0         // no weights at all
		w[i*co+2] *= 1e-30    // tiny ones
		w[i*co+3] = -1        // as channel 0
		w[i*co+4] = 0.5       // one large weight
		w[i*co+5] = w[i*co+6] // channel 6 with a coarser scale
	}
	w[4] = 100
	least[5] = 0.5
	q, scale := Int8Weights(w, taps, ci, co, least)
	NewInt8Conv(Generic, line(t, 9, 2), ci, co).Pack(q) // panics if they do not fit
	for o := range co {
		worst, most := 0.0, 0
		for i := o; i < len(w); i += co {
			worst = max(worst, math.Abs(float64(w[i])-float64(scale[o])*float64(q[i])))
			most = max(most, int(q[i]), -int(q[i]))
		}
		if worst > 0.5001*float64(scale[o]) {
			t.Errorf("channel %d: off by %g, its scale is %g", o, worst, scale[o])
		}
		switch {
		case o == 0 || o == 3:
			if most != int8LaneMost/8 {
				t.Errorf("channel %d: equal weights become %d, want an eighth of %d", o, most, int8LaneMost)
			}
		case o == 1:
			if most != 0 {
				t.Errorf("channel %d has weights", o)
			}
		case o == 5:
			if scale[o] != 0.5 {
				t.Errorf("channel %d: scale %g, want 0.5", o, scale[o])
			}
		case most < 56 || o == 4 && q[o] != Int8Most:
			t.Errorf("channel %d: the largest weight is %d of %d", o, most, Int8Most)
		}
	}
}

func TestInt8Sum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, squares := range []int{1, 32, 50, 516} {
		src := newGuardedBytes(squares * 48)
		want := make([]int32, 48)
		for i := range src.s {
			if src.s[i] = uint8(rng.IntN(128)); i%48 > 40 {
				src.s[i] = Int8Most
			}
			want[i%48] += int32(src.s[i])
		}
		for _, level := range Levels() {
			got := make([]int32, 48)
			if Int8Sum(level, got, src.s, squares); !slices.Equal(got, want) {
				t.Errorf("%v, %d squares: %v, want %v", level, squares, got, want)
			}
		}
	}
}

func TestInt8Broken(t *testing.T) {
	l := diagonal(t, 4, 4)
	c := NewInt8Conv(Best(), l, 16, 16)
	dst, src, bias, scale := make([]uint8, 8*16), make([]uint8, 8*16), make([]int32, 16), make([]float32, 16)
	full := make([]int8, 5*16*16)
	for i := range full {
		full[i] = 33
	}
	for name, f := range map[string]func(){
		"channels":     func() { NewInt8Conv(Best(), l, 8, 16) },
		"weights":      func() { c.Pack(full[1:]) },
		"overflow":     func() { c.Pack(full) },
		"small weight": func() { c.Pack(append([]int8{-128}, make([]int8, len(full)-1)...)) },
		"dst":          func() { c.Forward(dst[1:], src, bias, scale, nil, 0) },
		"src":          func() { c.Forward(dst, src[1:], bias, scale, nil, 0) },
		"bias":         func() { c.Forward(dst, src, bias[1:], scale, nil, 0) },
		"scale":        func() { c.Forward(dst, src, bias, scale[1:], nil, 0) },
		"residual":     func() { c.Forward(dst, src, bias, scale, dst[1:], 0) },
		"floats":       func() { c.ForwardFloat(make([]float32, 5), src, bias, scale) },
		"squares":      func() { Int8Sum(Best(), make([]int32, 16), make([]uint8, 517*16), 517) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			f()
		}()
	}
	if n := testing.AllocsPerRun(3, func() { c.Forward(dst, src, bias, scale, dst, 1) }); n != 0 {
		t.Errorf("Forward allocates %v times", n)
	}
}

func BenchmarkInt8Peak(b *testing.B) {
	for _, level := range Levels() {
		for _, single := range []bool{false, true} {
			name := level.Int8Name()
			if single {
				if name != "avx2" {
					continue
				}
				name += "-single"
			}
			b.Run(name, func(b *testing.B) {
				ops := 0
				start := cpuSeconds()
				for b.Loop() {
					ops = Int8PeakLoop(level, 100_000, single)
				}
				reportSpeed(b, ops, start)
			})
		}
	}
}

// BenchmarkInt8Forward is BenchmarkForward in 8 bits: the trunk of a network on the international board, for one board.
func BenchmarkInt8Forward(b *testing.B) {
	l := diagonal(b, 10, 10)
	for _, level := range Levels() {
		for _, size := range []struct{ channels, layers int }{{32, 4}, {48, 4}, {48, 6}, {64, 6}, {64, 8}} {
			b.Run(fmt.Sprintf("%s/%dx%d", level.Int8Name(), size.channels, size.layers), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				var layers []*Int8Conv
				var scale []float32
				for range size.layers {
					var w []int8
					w, scale = Int8Weights(random(rng, l.Taps*size.channels*size.channels).s, l.Taps, size.channels, size.channels, make([]float32, size.channels))
					c := NewInt8Conv(level, l, size.channels, size.channels)
					c.Pack(w)
					layers = append(layers, c)
				}
				Scale(Generic, scale, 0.1, scale)
				bias := make([]int32, size.channels)
				x := make([]uint8, l.Squares*size.channels)
				y := make([]uint8, len(x))
				for i := range x {
					x[i] = uint8(rng.IntN(128))
				}
				b.ReportAllocs()
				start := cpuSeconds()
				for b.Loop() {
					for i := 0; i < len(layers); i += 2 {
						layers[i].Forward(y, x, bias, scale, nil, 0)
						layers[i+1].Forward(x, y, bias, scale, x, 0.5)
					}
				}
				reportSpeed(b, 2*size.layers*tapsOnBoard(l)*size.channels*size.channels, start)
				b.ReportMetric(float64(b.N)/(cpuSeconds()-start), "boards/s")
			})
		}
	}
}
