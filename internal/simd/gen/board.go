package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// board emits the forward kernel of a single board: vecs vectors of output channels for several squares that have
// the same taps. All squares*vecs sums stay in registers over all taps and input channels; each input channel costs
// vecs loads of weights, squares broadcasts and squares*vecs multiply-adds.
func board(a isa, squares, vecs int) {
	width := vecs * a.lanes
	function(fmt.Sprintf("board%sT%dx%d", a.name, squares, vecs),
		"func(dst, src, weights, bias, residual *float32, group, taps *int64, ntaps, ci, relu int)",
		fmt.Sprintf("board%sT%dx%d computes %d channels of %d squares of one board:", a.name, squares, vecs, width, squares),
		"",
		fmt.Sprintf("	for s, at := range group[:%d] { // offsets in bytes", squares),
		fmt.Sprintf("		for o := range %d {", width),
		"			sum := bias[o]",
		"			for _, t := range taps[:ntaps] { // t.weight and t.src in bytes",
		"				for i := range ci {",
		fmt.Sprintf("					sum += src[t.src[s]/4+i] * weights[t.weight/4*%d+i*%d+o]", width, width),
		"				}",
		"			}",
		"			if residual != nil {",
		"				sum += residual[at/4+o]",
		"			}",
		"			if relu != 0 && sum < 0 {",
		"				sum = 0",
		"			}",
		"			dst[at/4+o] = sum",
		"		}",
		"	}",
		"",
		"All of residual is read before anything is written.")
	src := Load(Param("src"), GP64())
	weights := Load(Param("weights"), GP64())
	bias := Load(Param("bias"), GP64())
	taps := Load(Param("taps"), GP64())
	ntaps := Load(Param("ntaps"), GP64())
	ci := Load(Param("ci"), GP64())

	Comment("sum[s][v] = bias[v]")
	sum := make([][]reg.VecVirtual, squares)
	for s := range sum {
		sum[s] = a.vecs(vecs)
		for v := range sum[s] {
			if s == 0 {
				VMOVUPS(Mem{Base: bias, Disp: v * a.bytes()}, sum[0][v])
			} else {
				VMOVAPS(sum[0][v], sum[s][v])
			}
		}
	}

	Label("tap")
	x, w := tap(src, weights, taps, squares, width)
	i := GP64()
	XORQ(i, i)

	Label("input")
	Comment("sum[s][v] += x[s] * w[v]")
	var ws []reg.VecVirtual
	if squares > 1 {
		ws = a.vecs(vecs)
		for v := range ws {
			VMOVUPS(Mem{Base: w, Disp: v * a.bytes()}, ws[v])
		}
	}
	for s := range sum {
		b := a.vec()
		VBROADCASTSS(Mem{Base: x[s], Index: i, Scale: floatBytes}, b)
		for v := range sum[s] {
			if squares > 1 {
				VFMADD231PS(ws[v], b, sum[s][v])
			} else {
				VFMADD231PS(Mem{Base: w, Disp: v * a.bytes()}, b, sum[s][v])
			}
		}
	}
	ADDQ(U32(uint32(width*floatBytes)), w)
	INCQ(i)
	CMPQ(i, ci)
	JNE(LabelRef("input"))
	DECQ(ntaps)
	JNZ(LabelRef("tap"))

	residual := Load(Param("residual"), GP64())
	group := Load(Param("group"), GP64())
	at := make([]reg.GPVirtual, squares)
	for s := range at {
		at[s] = GP64()
		MOVQ(Mem{Base: group, Disp: 8 * s}, at[s])
	}
	TESTQ(residual, residual)
	JZ(LabelRef("activate"))
	Comment("sum[s][v] += residual[at[s]][v]")
	for s := range sum {
		for v, y := range sum[s] {
			VADDPS(Mem{Base: residual, Index: at[s], Scale: 1, Disp: v * a.bytes()}, y, y)
		}
	}

	Label("activate")
	relu := Load(Param("relu"), GP64())
	TESTQ(relu, relu)
	JZ(LabelRef("store"))
	Comment("sum[s][v] = max(0, sum[s][v]); the order of operands lets NaN through")
	zero := a.vec()
	a.zero(zero)
	for s := range sum {
		for _, y := range sum[s] {
			VMAXPS(y, zero, y)
		}
	}

	Label("store")
	dst := Load(Param("dst"), GP64())
	for s := range sum {
		for v, y := range sum[s] {
			VMOVUPS(y, Mem{Base: dst, Index: at[s], Scale: 1, Disp: v * a.bytes()})
		}
	}
	end()
}

// tap emits what begins a tap: x are the inputs of its squares, w its weights. taps goes on to the tap after it.
func tap(src, weights, taps reg.Register, squares, width int) (x []reg.GPVirtual, w reg.GPVirtual) {
	Comment("x[s], w = src + t.src[s], weights + t.weight*width")
	x, w = make([]reg.GPVirtual, squares), GP64()
	IMUL3Q(U32(uint32(width)), Mem{Base: taps}, w)
	ADDQ(weights, w)
	for s := range x {
		x[s] = GP64()
		MOVQ(Mem{Base: taps, Disp: 8 * (s + 1)}, x[s])
		ADDQ(src, x[s])
	}
	ADDQ(Imm(uint64(8*(squares+1))), taps)
	return x, w
}
