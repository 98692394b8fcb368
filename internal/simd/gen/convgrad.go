package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The weight gradient works on panels: copies of a few channels of all squares
// for half a row of boards, so small that they stay in the first-level cache.
const (
	panelBytes = rowBytes / 2 // one channel of one square in a panel
	gradWidth  = 4            // output channels in a panel
)

// convGrad emits the gradient kernel for width input by gradWidth output
// channels of one tap. Each of its sums is a vector, one sum per lane: lanes
// are added up once, at the end of a batch.
func convGrad(a isa, width int) {
	function(fmt.Sprintf("convGrad%sT%dx%d", a.name, width, gradWidth),
		"func(sums, x, d *float32, pairs *int64, npairs int)",
		fmt.Sprintf("convGrad%sT%dx%d adds to the gradients of %d x %d weights of one tap:", a.name, width, gradWidth, width, gradWidth),
		"",
		"	for _, p := range pairs[:npairs] { // p.x and p.d in bytes",
		fmt.Sprintf("		for i := range %d {", width),
		fmt.Sprintf("			for o := range %d {", gradWidth),
		"				for n := range 16 {",
		fmt.Sprintf("					sums[(i*%d+o)*%d+n%%%d] += x[p.x/4+i*16+n] * d[p.d/4+o*16+n]", gradWidth, a.lanes, a.lanes),
		"				}",
		"			}",
		"		}",
		"	}")
	sums := Load(Param("sums"), GP64())
	x := Load(Param("x"), GP64())
	d := Load(Param("d"), GP64())
	pairs := Load(Param("pairs"), GP64())
	npairs := Load(Param("npairs"), GP64())

	Comment("sum[i][o] = sums[i][o]")
	sum := make([][]reg.VecVirtual, width)
	at := func(i, o int) Mem { return Mem{Base: sums, Disp: (i*gradWidth + o) * a.bytes()} }
	for i := range sum {
		sum[i] = a.vecs(gradWidth)
		for o, s := range sum[i] {
			VMOVUPS(at(i, o), s)
		}
	}

	Label("pair")
	px, pd := GP64(), GP64()
	MOVQ(Mem{Base: pairs}, px)
	MOVQ(Mem{Base: pairs, Disp: 8}, pd)
	ADDQ(Imm(16), pairs)
	for n := 0; n < panelBytes; n += a.bytes() {
		Comment("sum[i][o] += x[i] * d[o]")
		xs := a.vecs(width)
		for i := range xs {
			VMOVUPS(Mem{Base: x, Index: px, Scale: 1, Disp: i*panelBytes + n}, xs[i])
		}
		for o := range gradWidth {
			ds := a.vec()
			VMOVUPS(Mem{Base: d, Index: pd, Scale: 1, Disp: o*panelBytes + n}, ds)
			for i := range xs {
				VFMADD231PS(xs[i], ds, sum[i][o])
			}
		}
	}
	DECQ(npairs)
	JNZ(LabelRef("pair"))

	Comment("sums[i][o] = sum[i][o]")
	for i := range sum {
		for o, s := range sum[i] {
			VMOVUPS(s, at(i, o))
		}
	}
	end()
}
