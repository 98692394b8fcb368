package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBoardConv: for a board alone the same bits come out as for the board in a block.
func TestBoardConv(t *testing.T) {
	all := append(shapes(t),
		shape{"dense 13x56", Dense(), 13, 56},
		shape{"dense 9x136", Dense(), 9, 136},
		shape{"canadian 8x32", diagonal(t, 12, 12), 8, 32},
		shape{"board 5x24", diagonal(t, 8, 8), 5, 24},
	)
	for _, s := range all {
		rng := rand.New(rand.NewPCG(11, uint64(s.ci*s.co)))
		src := random(rng, s.l.Squares*s.ci*Lanes).s
		w, bias := random(rng, s.l.Taps*s.ci*s.co), random(rng, s.co)
		residual := random(rng, s.l.Squares*s.co*Lanes).s
		const lane = 5
		one := func(block []float32) guarded {
			g := newGuarded(len(block) / Lanes)
			for i := range g.s {
				g.s[i] = block[i*Lanes+lane]
			}
			return g
		}
		x, r := one(src), one(residual)
		for _, level := range Levels() {
			c, b := NewConv(level, s.l, s.ci, s.co), NewBoardConv(level, s.l, s.ci, s.co)
			c.Pack(w.s)
			b.Pack(w.s)
			for mask := range 8 {
				bias, block, board, relu := bias.s, residual, r.s, mask&4 != 0
				if mask&1 == 0 {
					bias = nil
				}
				if mask&2 == 0 {
					block, board = nil, nil
				}
				dst := make([]float32, len(residual))
				c.Forward(dst, src, bias, block, relu)
				want := one(dst).s
				got := newGuarded(len(want))
				name := level.String() + " " + s.name
				compare := func() {
					t.Helper()
					for i := range want {
						if math.Float32bits(got.s[i]) != math.Float32bits(want[i]) {
							t.Fatalf("%s, mask %d: element %d is %v, in a block %v", name, mask, i, got.s[i], want[i])
						}
					}
					got.check(t, name)
				}
				b.Forward(got.s, x.s, bias, board, relu)
				compare()
				if board != nil { // in place
					copy(got.s, board)
					b.Forward(got.s, x.s, bias, got.s, relu)
					compare()
				}
			}
			dst := make([]float32, s.l.Squares*s.co)
			if n := testing.AllocsPerRun(3, func() { b.Forward(dst, x.s, nil, nil, true) }); n != 0 {
				t.Errorf("%v %s: Forward allocates %v times", level, s.name, n)
			}
		}
	}
}

func TestBoardConvLengths(t *testing.T) {
	l := diagonal(t, 4, 4)
	c := NewBoardConv(Best(), l, 3, 8)
	src, dst := make([]float32, 8*3), make([]float32, 8*8)
	for name, f := range map[string]func(){
		"weights":  func() { c.Pack(make([]float32, 5)) },
		"dst":      func() { c.Forward(dst[1:], src, nil, nil, false) },
		"src":      func() { c.Forward(dst, src[1:], nil, nil, false) },
		"bias":     func() { c.Forward(dst, src, make([]float32, 7), nil, false) },
		"residual": func() { c.Forward(dst, src, nil, make([]float32, 7), false) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of wrong length is taken", name)
				}
			}()
			f()
		}()
	}
}

// BenchmarkBoard compares a board alone with a 32nd of a block, on the lattice of 10x10 squares.
func BenchmarkBoard(b *testing.B) {
	l := diagonal(b, 10, 10)
	const channels = 48
	rng := rand.New(rand.NewPCG(1, 1))
	w := random(rng, l.Taps*channels*channels).s
	for _, level := range Levels() {
		c, one := NewConv(level, l, channels, channels), NewBoardConv(level, l, channels, channels)
		c.Pack(w)
		one.Pack(w)
		src, dst := random(rng, l.Squares*channels*Lanes).s, make([]float32, l.Squares*channels*Lanes)
		b.Run("block/"+level.String(), func(b *testing.B) {
			for b.Loop() {
				c.Forward(dst, src, nil, nil, true)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Lanes, "ns/board")
		})
		n := l.Squares * channels
		b.Run("alone/"+level.String(), func(b *testing.B) {
			for b.Loop() {
				one.Forward(dst[:n], src[:n], nil, nil, true)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/board")
		})
	}
}
