//go:build !purego

package simd

func peakLoop(level Level, n int) int {
	const sums = 12
	switch level {
	case AVX512:
		peakAVX512(n)
		return sums * 16 * 2 * n
	case AVX2:
		peakAVX2(n)
		return sums * 8 * 2 * n
	}
	return peakGeneric(n)
}
