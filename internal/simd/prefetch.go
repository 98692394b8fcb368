package simd

// Prefetch tells the processor that the memory round this word will be read soon. It changes nothing but the time that
// takes, and does nothing where there is no assembly for it.
func Prefetch(at *uint64) { prefetch(at) }
