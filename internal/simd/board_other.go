//go:build !amd64 || purego

package simd

func (c *BoardConv) forward(dst, src, bias, residual []float32, relu bool) {
	c.forwardGeneric(dst, src, bias, residual, relu)
}
