//go:build !purego

package simd

// Int8Name returns the name of the instruction set that Int8Conv uses at the level: AVX512 takes the kernels of AVX2.
func (l Level) Int8Name() string { return min(l, AVX2).String() }

// int8Shape returns the number of squares in a group, the output channels in a vector, and the most vectors in a tile.
//
// There are 16 registers: 8 sums, 4 quads of inputs, two lanes and the ones; the weights come from the cache as operands.
func int8Shape(Level) (size, lanes, most int) { return 1, 8, 8 }

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
		switch t.width {
		case 64:
			int8AVX2T1x8(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case 48:
			int8AVX2T1x6(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		case 32:
			int8AVX2T1x4(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
		default:
			int8AVX2T1x2(d, f, x, w, b, m, r, ratio, groups, c.groups, each, steps)
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
	case single:
		int8PeakAVX2Q1(n)
		return sums * 8 * quad * 2 * n
	}
	int8PeakAVX2Q4(n)
	return sums * 8 * quad * 4 * 2 * n
}
