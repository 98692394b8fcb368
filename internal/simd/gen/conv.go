package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// conv emits the forward kernel for width output channels of one square and
// vecs vectors of boards. All width*vecs sums stay in registers over all taps
// and input channels; each input channel costs vecs loads, width broadcasts and
// width*vecs multiply-adds.
func conv(a isa, width, vecs int) {
	boards := vecs * a.lanes
	function(fmt.Sprintf("conv%sT%dx%d", a.name, width, vecs),
		"func(dst, src, weights, bias, residual *float32, taps *int64, ntaps, ci, relu int)",
		fmt.Sprintf("conv%sT%dx%d computes %d channels of one square for %d boards:", a.name, width, vecs, width, boards),
		"",
		fmt.Sprintf("	for o := range %d {", width),
		fmt.Sprintf("		for n := range %d {", boards),
		"			sum := bias[o]",
		"			for _, t := range taps[:ntaps] { // t.src and t.weight in bytes",
		"				for i := range ci {",
		fmt.Sprintf("					sum += src[t.src/4+i*32+n] * weights[t.weight/4*%d+i*%d+o]", width, width),
		"				}",
		"			}",
		"			if residual != nil {",
		"				sum += residual[o*32+n]",
		"			}",
		"			if relu != 0 && sum < 0 {",
		"				sum = 0",
		"			}",
		"			dst[o*32+n] = sum",
		"		}",
		"	}")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	weights := Load(Param("weights"), GP64())
	bias := Load(Param("bias"), GP64())
	residual := Load(Param("residual"), GP64())
	taps := Load(Param("taps"), GP64())
	ntaps := Load(Param("ntaps"), GP64())
	ci := Load(Param("ci"), GP64())
	relu := Load(Param("relu"), GP64())

	Comment("sum[o][v] = bias[o]")
	sum := make([][]reg.VecVirtual, width)
	for o := range sum {
		sum[o] = a.vecs(vecs)
		VBROADCASTSS(Mem{Base: bias, Disp: o * floatBytes}, sum[o][0])
		for _, s := range sum[o][1:] {
			VMOVAPS(sum[o][0], s)
		}
	}

	Label("tap")
	Comment("x, w = src + t.src, weights + t.weight*width")
	x, w, i := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: taps}, x)
	ADDQ(src, x)
	IMUL3Q(Imm(uint64(width)), Mem{Base: taps, Disp: 8}, w)
	ADDQ(weights, w)
	ADDQ(Imm(16), taps)
	MOVQ(ci, i)

	Label("input")
	Comment("sum[o][v] += x[v] * w[o]")
	xs := a.vecs(vecs)
	for v := range xs {
		VMOVUPS(Mem{Base: x, Disp: v * a.bytes()}, xs[v])
	}
	for o := range sum {
		b := a.vec()
		VBROADCASTSS(Mem{Base: w, Disp: o * floatBytes}, b)
		for v := range xs {
			VFMADD231PS(xs[v], b, sum[o][v])
		}
	}
	ADDQ(U32(rowBytes), x)
	ADDQ(Imm(uint64(width*floatBytes)), w)
	DECQ(i)
	JNZ(LabelRef("input"))
	DECQ(ntaps)
	JNZ(LabelRef("tap"))

	TESTQ(residual, residual)
	JZ(LabelRef("activate"))
	Comment("sum[o][v] += residual[o][v]")
	for o := range sum {
		for v, s := range sum[o] {
			VADDPS(Mem{Base: residual, Disp: o*rowBytes + v*a.bytes()}, s, s)
		}
	}

	Label("activate")
	TESTQ(relu, relu)
	JZ(LabelRef("store"))
	Comment("sum[o][v] = max(0, sum[o][v]); the order of operands lets NaN through")
	zero := a.vec()
	a.zero(zero)
	for o := range sum {
		for _, s := range sum[o] {
			VMAXPS(s, zero, s)
		}
	}

	Label("store")
	for o := range sum {
		for v, s := range sum[o] {
			VMOVUPS(s, Mem{Base: dst, Disp: o*rowBytes + v*a.bytes()})
		}
	}
	end()
}
