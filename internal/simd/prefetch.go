package simd

import "unsafe"

// Prefetch asks the processor to fetch the line of memory where *p begins into its caches, and does
// not wait for it. It changes nothing but the time of the next access; without assembly it does
// nothing.
func Prefetch[T any](p *T) { prefetch((*byte)(unsafe.Pointer(p))) }
