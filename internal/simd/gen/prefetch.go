package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// prefetch emits the fetch of a line into all levels of the cache.
func prefetch() {
	function("prefetch", "func(p *byte)", "prefetch fetches the line of the cache at p.")
	p := Load(Param("p"), GP64())
	PREFETCHT0(Mem{Base: p})
	RET()
}
