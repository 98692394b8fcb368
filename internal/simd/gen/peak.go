package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// peakSums is enough independent sums to hide the latency of a multiply-add
// (4 cycles, 2 a cycle on all processors meant).
const peakSums = 12

// peak emits a loop of nothing but multiply-adds.
func peak(a isa) {
	function("peak"+a.name, "func(n int)",
		"peak"+a.name+" does 12 independent vector multiply-adds n times:",
		"",
		"	for range n {",
		"		for i := range sum { // 12 vectors",
		"			sum[i] += x * y",
		"		}",
		"	}")
	n := Load(Param("n"), GP64())
	x, y, sum := a.vec(), a.vec(), a.vecs(peakSums)
	a.zero(x)
	a.zero(y)
	for _, s := range sum {
		a.zero(s)
	}
	Label("loop")
	for _, s := range sum {
		VFMADD231PS(x, y, s)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	end()
}
