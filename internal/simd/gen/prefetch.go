package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// prefetch emits a hint to bring a line of memory into all caches.
func prefetch() {
	function("prefetch", "func(at *uint64)", "prefetch brings the line at an address near.")
	at := Load(Param("at"), GP64())
	PREFETCHT0(Mem{Base: at})
	RET()
}
