//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// vnni says whether this machine adds the products of four bytes in one instruction.
var vnni = cpu.X86.HasAVX512VNNI

// dots reports whether the level has these instructions.
func (l Level) dots() bool { return l == AVX512 && vnni }

// Int8Name returns the name of the instruction set that Int8Conv uses at the level: AVX512 without VNNI takes the
// kernels of AVX2.
func (l Level) Int8Name() string {
	if l.dots() {
		return "vnni"
	}
	return min(l, AVX2).String()
}

// int8Shape returns how many of the squares are in a group, the output channels in a vector, and the most vectors in a
// tile.
//
// AVX2 has 16 registers: 8 sums, 4 quads of inputs, two lanes and the ones; the weights come from the cache as operands.
// VNNI has 32: 16 sums of four squares, 4 vectors of weights and a quad of inputs, with room to work ahead.
func int8Shape(level Level, squares int) (size, lanes, most int) {
	switch {
	case !level.dots():
		return 1, 8, 8
	case squares < int8Squares:
		return 1, 16, 4
	}
	return int8Squares, 16, 4
}

// int8Squares is the number of squares in a group with VNNI.
const int8Squares = 4

// int8Tile is what a kernel is written for: squares in a group, output channels in a vector and in a tile.
type int8Tile struct{ squares, lanes, width int }

func (c *Int8Conv) forward(dst []uint8, floats []float32, src []uint8, bias []int32, scale []float32, residual []uint8, ratio float32) {
	if c.level == Generic {
		c.forwardGeneric(dst, floats, src, bias, scale, residual, ratio)
		return
	}
	var d, r *uint8
	var f *float32
	each := 0
	if len(bias) > c.co {
		each = 1
	}
	steps := c.ci / Int8Step
	size, lanes, _ := int8Shape(c.level, c.lattice.Squares)
	for i := range c.tiles {
		t := &c.tiles[i]
		if floats == nil {
			d = &dst[t.co]
		} else {
			f = &floats[t.co]
		}
		if residual != nil {
			r = &residual[t.co]
		}
		x, w, b, m, groups := &src[0], &c.weights[t.weight], &bias[t.co], &scale[t.co], &c.table[0]
		switch (int8Tile{size, lanes, t.width}) {
		case int8Tile{1, 8, 16}:
			int8AVX2T1x2(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 8, 32}:
			int8AVX2T1x4(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 8, 48}:
			int8AVX2T1x6(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 8, 64}:
			int8AVX2T1x8(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 16, 16}:
			int8VNNIT1x1(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 16, 32}:
			int8VNNIT1x2(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 16, 48}:
			int8VNNIT1x3(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{1, 16, 64}:
			int8VNNIT1x4(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{int8Squares, 16, 16}:
			int8VNNIT4x1(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{int8Squares, 16, 32}:
			int8VNNIT4x2(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{int8Squares, 16, 48}:
			int8VNNIT4x3(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case int8Tile{int8Squares, 16, 64}:
			int8VNNIT4x4(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		default:
			panic("simd: no kernel for a tile")
		}
	}
}

func int8Sum(level Level, dst []int32, src []uint8, squares int) {
	if level == Generic {
		int8SumGeneric(dst, src, squares)
		return
	}
	for c := 0; c < len(dst); c += Int8Step {
		int8SumAVX2(&dst[c], &src[c], squares, len(dst))
	}
}

func int8PeakLoop(level Level, n int, single bool) int {
	const sums, quad = 8, 4
	switch {
	case level == Generic:
		return int8PeakGeneric(n)
	case level.dots():
		int8PeakVNNI(n)
		return 12 * 16 * quad * 2 * n
	case single:
		int8PeakAVX2Q1(n)
		return sums * 8 * quad * 2 * n
	}
	int8PeakAVX2Q4(n)
	return sums * 8 * quad * 4 * 2 * n
}
