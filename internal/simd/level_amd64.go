//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// detect asks the processor, and through XGETBV the operating system, what the
// assembly may use.
func detect() Level {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return AVX512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return AVX2
	}
	return Generic
}
