package simd

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
	peakSink = a + b + c + d
	return 4 * 2 * n
}

var peakSink float32
