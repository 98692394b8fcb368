package simd

import "runtime"

// PeakLoop runs multiply-adds that touch no memory, and returns how many
// floating-point operations that were (a multiply-add is two). Timed, it gives
// the peak of one core, which a benchmark can compare the kernels with.
func PeakLoop(level Level, n int) int {
	level.mustRun()
	if n < 1 {
		return 0
	}
	return peakLoop(level, n)
}

// peakGeneric is PeakLoop in plain Go, with 4 sums.
func peakGeneric(n int) int {
	var a, b, c, d float32
	x, y := float32(n&1), float32(n&2)
	for range n {
		a += x * y
		b += x * y
		c += x * y
		d += x * y
	}
	runtime.KeepAlive(a + b + c + d) // the loop must not be dropped
	return 4 * 2 * n
}
