package simd

import "unsafe"

// Prefetch asks the processor to fetch the cache line of *p, and does not wait for it. It only
// changes the time of the next access; without assembly it does nothing.
func Prefetch[T any](p *T) { prefetch((*byte)(unsafe.Pointer(p))) }
