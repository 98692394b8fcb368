//go:build !amd64 || purego

package simd

func peakLoop(_ Level, n int) int { return peakGeneric(n) }
