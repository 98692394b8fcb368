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
// channels. For one tap after the other, all its sums are in registers; each is
// a vector, one sum per lane: lanes are added up once, at the end of a batch.
func convGrad(a isa, width int) {
	function(fmt.Sprintf("convGrad%sT%dx%d", a.name, width, gradWidth),
		"func(sums, x, d *float32, pairs, counts *int64, taps, stride int)",
		fmt.Sprintf("convGrad%sT%dx%d adds to the gradients of %d x %d weights of each tap:", a.name, width, gradWidth, width, gradWidth),
		"",
		"	for t := range taps {",
		"		for _, p := range pairs[t*stride/16:][:counts[t]] { // p.x, p.d and stride in bytes",
		fmt.Sprintf("			for i := range %d {", width),
		fmt.Sprintf("				for o := range %d {", gradWidth),
		"					for n := range 16 {",
		fmt.Sprintf("						sums[((t*%d+i)*%d+o)*%d+n%%%d] += x[p.x/4+i*16+n] * d[p.d/4+o*16+n]", width, gradWidth, a.lanes, a.lanes),
		"					}",
		"				}",
		"			}",
		"		}",
		"	}")
	sums := Load(Param("sums"), GP64())
	x := Load(Param("x"), GP64())
	d := Load(Param("d"), GP64())
	pairs := Load(Param("pairs"), GP64())
	counts := Load(Param("counts"), GP64())
	taps := Load(Param("taps"), GP64())
	stride := Load(Param("stride"), GP64())

	Label("tap")
	pair, n := GP64(), GP64()
	MOVQ(pairs, pair)
	MOVQ(Mem{Base: counts}, n)
	TESTQ(n, n)
	JZ(LabelRef("next")) // the tap leaves the board everywhere

	Comment("sum[i][o] = sums[t][i][o]")
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
	MOVQ(Mem{Base: pair}, px)
	MOVQ(Mem{Base: pair, Disp: 8}, pd)
	ADDQ(Imm(16), pair)
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
	DECQ(n)
	JNZ(LabelRef("pair"))

	Comment("sums[t][i][o] = sum[i][o]")
	for i := range sum {
		for o, s := range sum[i] {
			VMOVUPS(s, at(i, o))
		}
	}

	Label("next")
	ADDQ(stride, pairs)
	ADDQ(Imm(8), counts)
	ADDQ(U32(uint32(width*gradWidth*a.bytes())), sums)
	DECQ(taps)
	JNZ(LabelRef("tap"))
	end()
}

// gradPanel emits the copy of one square's channels into panels: half rows of
// boards, width channels to a panel.
func gradPanel(a isa) {
	function("gradPanel"+a.name, "func(panel, src *float32, tiles, width, stride int)",
		"gradPanel"+a.name+" copies tiles * width channels of one square, stride is in bytes:",
		"",
		"	for t := range tiles {",
		"		for i := range width {",
		"			copy(panel[t*stride/4+i*16:][:16], src[(t*width+i)*32:])",
		"		}",
		"	}")
	panel := Load(Param("panel"), GP64())
	src := Load(Param("src"), GP64())
	tiles := Load(Param("tiles"), GP64())
	width := Load(Param("width"), GP64())
	stride := Load(Param("stride"), GP64())
	Label("tile")
	to, i := GP64(), GP64()
	MOVQ(panel, to)
	MOVQ(width, i)
	Label("channel")
	for n := 0; n < panelBytes; n += a.bytes() {
		v := a.vec()
		VMOVUPS(Mem{Base: src, Disp: n}, v)
		VMOVUPS(v, Mem{Base: to, Disp: n})
	}
	ADDQ(U32(rowBytes), src)
	ADDQ(U32(panelBytes), to)
	DECQ(i)
	JNZ(LabelRef("channel"))
	ADDQ(stride, panel)
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	end()
}
