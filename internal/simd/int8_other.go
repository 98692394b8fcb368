//go:build !amd64 || purego

package simd

// Int8Name returns the name of the instruction set that Int8Conv uses at the level.
func (l Level) Int8Name() string { return l.String() }

// int8Shape returns the number of squares in a group, the output channels in a vector, and the most vectors in a tile.
func int8Shape(Level, int) (size, lanes, most int) { return 1, 8, 8 }

func (c *Int8Conv) forward(dst []uint8, floats []float32, src []uint8, bias []int32, scale []float32, residual []uint8, ratio float32) {
	c.forwardGeneric(dst, floats, src, bias, scale, residual, ratio)
}

func int8Sum(_ Level, dst []int32, src []uint8, squares int) { int8SumGeneric(dst, src, squares) }

func int8PeakLoop(_ Level, n int, _ bool) int { return int8PeakGeneric(n) }
