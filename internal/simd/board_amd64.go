//go:build !purego

package simd

func (c *BoardConv) forward(dst, src, bias, residual []float32, relu bool) {
	if c.level == Generic {
		c.forwardGeneric(dst, src, bias, residual, relu)
		return
	}
	positive := 0
	if relu {
		positive = 1
	}
	single := c.groupSize() == 1
	var r *float32
	for i := range c.tiles {
		t := &c.tiles[i]
		kernel := t.width / 8
		d, w, b := &dst[t.co], &c.weights[t.weight], &bias[t.co]
		if residual != nil {
			r = &residual[t.co]
		}
		for j := range c.groups {
			g := &c.groups[j]
			squares, taps := &c.tables[g.squares], &c.tables[g.taps]
			switch {
			case single && kernel == 8:
				boardAVX2T1x8(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			case single && kernel == 4:
				boardAVX2T1x4(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			case single && kernel == 2:
				boardAVX2T1x2(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			case single:
				boardAVX2T1x1(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			case kernel == 3:
				boardAVX2T4x3(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			case kernel == 2:
				boardAVX2T4x2(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			default:
				boardAVX2T4x1(d, &src[0], w, b, r, squares, taps, g.count, c.ci, positive)
			}
		}
	}
}
