package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// diagonal returns the lattice of the dark squares of a board of the given
// rows and columns, with the four diagonal neighbours. columns is even.
func diagonal(t testing.TB, rows, columns int) *Lattice {
	t.Helper()
	square := func(r, c int) int {
		if r < 0 || r >= rows || c < 0 || c >= columns {
			return -1
		}
		return (r*columns + c) / 2
	}
	var neighbour [][]int
	for r := range rows {
		for c := 1 - r%2; c < columns; c += 2 {
			neighbour = append(neighbour, []int{square(r, c),
				square(r-1, c-1), square(r-1, c+1), square(r+1, c-1), square(r+1, c+1)})
		}
	}
	l, err := NewLattice(neighbour)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// line returns the lattice of n squares in a row, with 1 + 2*reach taps.
func line(t testing.TB, n, reach int) *Lattice {
	t.Helper()
	var neighbour [][]int
	for s := range n {
		row := []int{s}
		for d := 1; d <= reach; d++ {
			left, right := s-d, s+d
			if left < 0 {
				left = -1
			}
			if right >= n {
				right = -1
			}
			row = append(row, left, right)
		}
		neighbour = append(neighbour, row)
	}
	l, err := NewLattice(neighbour)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const guard = 1e30 // stands round guarded slices; no kernel may read or write it

// guarded is a slice with guard values before and after it, at an odd offset.
type guarded struct{ all, s []float32 }

func newGuarded(n int) guarded {
	const margin = 37
	g := guarded{all: make([]float32, n+2*margin)}
	for i := range g.all {
		g.all[i] = guard
	}
	g.s = g.all[margin : margin+n : margin+n]
	clear(g.s)
	return g
}

// random returns a guarded slice of normal values.
func random(rng *rand.Rand, n int) guarded {
	g := newGuarded(n)
	for i := range g.s {
		g.s[i] = float32(rng.NormFloat64())
	}
	return g
}

// check fails the test if a guard value has changed.
func (g guarded) check(t *testing.T, name string) {
	t.Helper()
	margin := (len(g.all) - len(g.s)) / 2
	for i := range margin {
		if g.all[i] != guard || g.all[len(g.all)-1-i] != guard {
			t.Fatalf("%s: written outside the slice, %d values from its ends", name, margin-1-i)
		}
	}
}

// near fails the test unless got is want to 1e-4, relative to the mean
// magnitude of want or to the value itself, whichever is larger.
func near(t *testing.T, name string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: length %d, want %d", name, len(got), len(want))
	}
	scale := 0.0
	for _, v := range want {
		scale += math.Abs(v) / float64(len(want))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i]) - v); !(d <= 1e-4*max(scale, math.Abs(v))) {
			t.Fatalf("%s: element %d of %d is %g, want %g", name, i, len(got), got[i], v)
		}
	}
}

// forwardSlow is Conv.Forward as its doc comment has it, on raw weights.
func forwardSlow(l *Lattice, ci, co int, src, w, bias, residual []float32, relu bool) []float64 {
	dst := make([]float64, l.Squares*co*Lanes)
	for s := range l.Squares {
		for o := range co {
			for n := range Lanes {
				at := (s*co+o)*Lanes + n
				sum := 0.0
				if bias != nil {
					sum += float64(bias[o])
				}
				if residual != nil {
					sum += float64(residual[at])
				}
				for t, q := range l.Neighbour[s] {
					if q < 0 {
						continue
					}
					for i := range ci {
						sum += float64(src[(q*ci+i)*Lanes+n]) * float64(w[(t*ci+i)*co+o])
					}
				}
				if relu {
					sum = max(sum, 0)
				}
				dst[at] = sum
			}
		}
	}
	return dst
}

// gradSlow returns the gradients of sum(dy*y) by src and by w, for y the output
// of a convolution without ReLU, over several blocks.
func gradSlow(l *Lattice, ci, co int, src, w, dy []float32, blocks int) (dx, dw []float64) {
	dx = make([]float64, len(src))
	dw = make([]float64, len(w))
	for b := range blocks {
		for s, row := range l.Neighbour {
			for t, q := range row {
				if q < 0 {
					continue
				}
				for i := range ci {
					for o := range co {
						for n := range Lanes {
							x := ((b*l.Squares+q)*ci+i)*Lanes + n
							y := ((b*l.Squares+s)*co+o)*Lanes + n
							dx[x] += float64(dy[y]) * float64(w[(t*ci+i)*co+o])
							dw[(t*ci+i)*co+o] += float64(dy[y]) * float64(src[x])
						}
					}
				}
			}
		}
	}
	return dx, dw
}

type shape struct {
	name   string
	l      *Lattice
	ci, co int
}

func shapes(t testing.TB) []shape {
	board := diagonal(t, 4, 4)
	return []shape{
		{"dense 1x8", Dense(), 1, 8},
		{"dense 7x8", Dense(), 7, 8},
		{"dense 130x24", Dense(), 130, 24},
		{"board 1x8", board, 1, 8},
		{"board 2x16", board, 2, 16},
		{"board 3x32", board, 3, 32},
		{"board 5x40", board, 5, 40},
		{"board 8x48", board, 8, 48},
		{"board 13x56", board, 13, 56},
		{"board 16x64", board, 16, 64},
		{"board 24x8", board, 24, 8},
		{"line 6x8", line(t, 3, 1), 6, 8},
		{"line 9x16", line(t, 90, 3), 9, 16},
		{"one square 4x8", line(t, 1, 2), 4, 8},
		{"international 11x16", diagonal(t, 10, 10), 11, 16},
	}
}

func TestConvForward(t *testing.T) {
	for _, s := range shapes(t) {
		rng := rand.New(rand.NewPCG(1, uint64(s.ci*s.co)))
		src := random(rng, s.l.Squares*s.ci*Lanes)
		w := random(rng, s.l.Taps*s.ci*s.co)
		bias := random(rng, s.co)
		residual := random(rng, s.l.Squares*s.co*Lanes)
		for _, level := range Levels() {
			c := NewConv(level, s.l, s.ci, s.co)
			c.Pack(w.s)
			for mask := range 8 {
				b, r, relu := bias.s, residual.s, mask&4 != 0
				if mask&1 == 0 {
					b = nil
				}
				if mask&2 == 0 {
					r = nil
				}
				name := level.String() + " " + s.name
				want := forwardSlow(s.l, s.ci, s.co, src.s, w.s, b, r, relu)
				dst := newGuarded(len(want))
				c.Forward(dst.s, src.s, b, r, relu)
				near(t, name, dst.s, want)
				dst.check(t, name)
				if r != nil { // in place
					copy(dst.s, r)
					c.Forward(dst.s, src.s, b, dst.s, relu)
					near(t, name+" in place", dst.s, want)
					dst.check(t, name)
				}
			}
		}
	}
}

func TestConvBackward(t *testing.T) {
	for _, s := range shapes(t) {
		if s.ci%8 != 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(2, uint64(s.ci*s.co)))
		src := random(rng, s.l.Squares*s.ci*Lanes)
		w := random(rng, s.l.Taps*s.ci*s.co)
		dy := random(rng, s.l.Squares*s.co*Lanes)
		want, _ := gradSlow(s.l, s.ci, s.co, src.s, w.s, dy.s, 1)
		for _, level := range Levels() {
			c := NewConv(level, s.l, s.co, s.ci)
			c.PackTransposed(w.s)
			dx := newGuarded(len(src.s))
			c.Forward(dx.s, dy.s, nil, nil, false)
			near(t, level.String()+" "+s.name, dx.s, want)
		}
	}
}

func TestConvGrad(t *testing.T) {
	const blocks = 3
	for _, s := range shapes(t) {
		rng := rand.New(rand.NewPCG(3, uint64(s.ci*s.co)))
		x, y := s.l.Squares*s.ci*Lanes, s.l.Squares*s.co*Lanes
		src := random(rng, blocks*x)
		w := random(rng, s.l.Taps*s.ci*s.co)
		dy := random(rng, blocks*y)
		_, want := gradSlow(s.l, s.ci, s.co, src.s, w.s, dy.s, blocks)
		for _, level := range Levels() {
			name := level.String() + " " + s.name
			g := NewConvGrad(level, s.l, s.ci, s.co)
			got := random(rng, len(want))
			for range 2 { // the second time after Reset
				g.Reset()
				g.AddBlocks(src.s, dy.s, blocks)
				g.Sum(got.s)
				near(t, name, got.s, want)
				got.check(t, name)
			}
			one := NewConvGrad(level, s.l, s.ci, s.co)
			two := NewConvGrad(level, s.l, s.ci, s.co)
			one.Add(src.s[:x], dy.s[:y])
			two.AddBlocks(src.s[x:], dy.s[y:], blocks-1)
			one.Sum(got.s, two)
			near(t, name+" in parts", got.s, want)
		}
	}
}

// A board's result depends neither on its lane nor on its neighbours, to the
// last bit, and is the same each time.
func TestLanesAreIndependent(t *testing.T) {
	for _, s := range shapes(t) {
		rng := rand.New(rand.NewPCG(8, uint64(s.ci*s.co)))
		x, n := s.l.Squares*s.ci*Lanes, s.l.Squares*s.co*Lanes
		src, other := random(rng, x).s, random(rng, x).s
		residual := random(rng, n).s
		w, bias := random(rng, s.l.Taps*s.ci*s.co).s, random(rng, s.co).s
		to := rng.Perm(Lanes) // lane l of src is lane to[l] of other, but for lane 0
		for i := 0; i < x; i += Lanes {
			for l := 1; l < Lanes; l++ {
				other[i+to[l]] = src[i+l]
			}
		}
		moved := make([]float32, n)
		for i := 0; i < n; i += Lanes {
			for l := range Lanes {
				moved[i+to[l]] = residual[i+l]
			}
		}
		for _, level := range Levels() {
			c := NewConv(level, s.l, s.ci, s.co)
			c.Pack(w)
			y, z := make([]float32, n), make([]float32, n)
			c.Forward(y, src, bias, residual, true)
			c.Forward(z, other, bias, moved, true)
			for i := 0; i < n; i += Lanes {
				for l := 1; l < Lanes; l++ {
					if y[i+l] != z[i+to[l]] {
						t.Fatalf("%v %s: a board gives %g in lane %d and %g in lane %d", level, s.name, y[i+l], l, z[i+to[l]], to[l])
					}
				}
			}
		}
	}
}

func TestConvGradIsDeterministic(t *testing.T) {
	for _, s := range shapes(t) {
		rng := rand.New(rand.NewPCG(9, uint64(s.ci*s.co)))
		const blocks = 2
		src := random(rng, blocks*s.l.Squares*s.ci*Lanes).s
		dy := random(rng, blocks*s.l.Squares*s.co*Lanes).s
		for _, level := range Levels() {
			var first []float32
			for range 2 {
				g := NewConvGrad(level, s.l, s.ci, s.co)
				dw := make([]float32, s.l.Taps*s.ci*s.co)
				g.AddBlocks(src, dy, blocks)
				g.Sum(dw)
				if first == nil {
					first = dw
				} else if !slices.Equal(first, dw) {
					t.Fatalf("%v %s: two gradients of the same batch differ", level, s.name)
				}
			}
		}
	}
}
