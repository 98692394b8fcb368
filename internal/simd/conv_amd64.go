//go:build !purego

package simd

// convWidth returns how many of the rest output channels still to be tiled the
// next tile takes; rest is even, and a multiple of 8 for AVX-512.
//
// AVX2 has 16 registers: 6 channels x 2 vectors of sums leave four for inputs
// and weights. Tiles of 4 x 2 fill up what is no multiple of 6.
func convWidth(level Level, rest int) int {
	switch {
	case level == AVX512:
		return 8
	case level == AVX2 && (rest == 6 || rest >= 10):
		return 6
	}
	return 4 // also genericWidth
}

func (c *Conv) forward(dst, src, bias, residual []float32, relu bool) {
	if c.level == Generic {
		c.forwardGeneric(dst, src, bias, residual, relu)
		return
	}
	positive := 0
	if relu {
		positive = 1
	}
	if c.level == AVX512 {
		c.forwardAVX512(dst, src, bias, residual, positive)
	} else {
		c.forwardAVX2(dst, src, bias, residual, positive)
	}
}

// forwardAVX2 computes half a row of boards at a time: the inputs of a square
// and its neighbours, for half the boards, are all the first-level cache has to
// hold while the weights stream past.
func (c *Conv) forwardAVX2(dst, src, bias, residual []float32, relu int) {
	const half = Lanes / 2
	var r *float32
	for s := range c.lattice.Squares {
		taps := c.taps[c.first[s]:c.first[s+1]]
		for n := 0; n < Lanes; n += half {
			for i := range c.tiles {
				t := &c.tiles[i]
				at := (s*c.co+t.co)*Lanes + n
				if residual != nil {
					r = &residual[at]
				}
				if t.width == 6 {
					convAVX2T6x2(&dst[at], &src[n], &c.weights[t.weight], &bias[t.co], r, &taps[0].src, len(taps), c.ci, relu)
				} else {
					convAVX2T4x2(&dst[at], &src[n], &c.weights[t.weight], &bias[t.co], r, &taps[0].src, len(taps), c.ci, relu)
				}
			}
		}
	}
}

// forwardAVX512 computes all squares of a tile before the next tile: its weights
// stay in the first-level cache, and the larger second-level cache of these
// processors delivers the inputs.
func (c *Conv) forwardAVX512(dst, src, bias, residual []float32, relu int) {
	var r *float32
	for i := range c.tiles {
		t := &c.tiles[i]
		for s := range c.lattice.Squares {
			taps := c.taps[c.first[s]:c.first[s+1]]
			at := (s*c.co + t.co) * Lanes
			if residual != nil {
				r = &residual[at]
			}
			convAVX512T8x2(&dst[at], &src[0], &c.weights[t.weight], &bias[t.co], r, &taps[0].src, len(taps), c.ci, relu)
		}
	}
}
