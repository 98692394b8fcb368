//go:build !purego

package simd

// convWidth returns how many of the rest output channels still to be tiled the
// next tile takes.
func convWidth(Level, int) int { return genericWidth }

func (c *Conv) forward(dst, src, bias, residual []float32, relu bool) {
	c.forwardGeneric(dst, src, bias, residual, relu)
}
