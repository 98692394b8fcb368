package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sums of products of bytes: activations in 0..127 times weights in -127..127. Four neighbouring channels, a quad, fill
// a 32-bit lane; a step is four quads.
//
//	channels of a step    0  1  2  3 | 4  5  6  7 | 8  9 10 11 | 12 13 14 15
//	quad                      0      |     1      |     2      |      3
//	16-bit lane             L     H  |   L     H  |   L     H  |    L     H
//
// AVX2 adds products two by two into 16-bit lanes (VPMADDUBSW), there those of the four quads of a step, and then the two
// lanes into the 32-bit sum (VPMADDWD with ones): five multiplying instructions for a step instead of eight. A 16-bit
// lane then holds eight products; simd.Int8Conv takes only weights with which it cannot overflow.
//
// AVX-512 VNNI adds the four products of a quad to the 32-bit sum at once (VPDPBUSD). That takes some five cycles, and two
// are begun in each: eight sums at least, of four squares, keep it busy.
const (
	quad = 4 // channels
	step = 4 // quads
)

// int8Conv emits the kernel of one board for vecs vectors of output channels, group by group of squares that have the same
// taps. Output channels are the lanes: a quad of a square is broadcast, and meets vecs vectors of weights.
//
// The table has for each group, in 64-bit words,
//
//	at of its squares | number of taps | of each tap: t.weight, t.src of the squares
func int8Conv(a isa, squares, vecs int) {
	width := vecs * a.lanes
	name := fmt.Sprintf("int8%sT%dx%d", a.name, squares, vecs)
	function(name,
		"func(dst *uint8, floats *float32, src *uint8, weights *int8, bias *int32, scale *float32, residual *uint8, ratio float32, table *int64, groups, each, steps int)",
		fmt.Sprintf("%s computes %d channels of one board, for groups of squares with the same taps:", name, width),
		"",
		"	for range groups {",
		fmt.Sprintf("		for s, at := range table[:%d] {", squares),
		fmt.Sprintf("			for o := range %d {", width),
		"				sum := bias[at*each+o] // each is 0, or 1 where every square has its own",
		fmt.Sprintf("				for t := range table[%d] { // the taps stand behind it: weight, %d of src", squares, squares),
		fmt.Sprintf("					weight, src := table[%d+%d*t], src[table[%d+%d*t+s]:]", squares+1, squares+1, squares+2, squares+1),
		"					for i := range steps * 16 {",
		fmt.Sprintf("						sum += int32(src[i]) * int32(weights[weight*%d+i/4*%d+o*4+i%%4])", width, 4*width),
		"					}",
		"				}",
		"				y := float32(sum) * scale[o]",
		"				if floats != nil {",
		"					floats[at+o] = y",
		"					continue",
		"				}",
		"				if residual != nil {",
		"					y += float32(residual[at+o]) * ratio",
		"				}",
		"				dst[at+o] = uint8(max(0, math.RoundToEven(min(y, 127))))",
		"			}",
		"		}",
		fmt.Sprintf("		table = table[%d+%d*table[%d]:]", squares+1, squares+1, squares),
		"	}",
		"",
		"Each operation on floats is rounded by itself. The residual of a square is read before the square is written.")
	src := Load(Param("src"), GP64())
	weights := Load(Param("weights"), GP64())
	steps := Load(Param("steps"), GP64())
	taps, groups := Load(Param("table"), GP64()), Load(Param("groups"), GP64())
	var ones reg.VecVirtual
	if !a.dot {
		ones = a.vec()
		VPCMPEQW(ones, ones, ones)
		VPABSW(ones, ones)
	}

	Label("group")
	Comment("sum[s][v] = bias[at[s]*each][v]")
	group, ntaps := GP64(), GP64()
	MOVQ(taps, group)
	MOVQ(Mem{Base: taps, Disp: 8 * squares}, ntaps)
	ADDQ(Imm(uint64(8*(squares+1))), taps)
	bias, each := Load(Param("bias"), GP64()), Load(Param("each"), GP64())
	sum := make([][]reg.VecVirtual, squares)
	for s := range sum {
		sum[s] = a.vecs(vecs)
		from := GP64()
		MOVQ(Mem{Base: group, Disp: 8 * s}, from)
		IMULQ(each, from)
		for v := range sum[s] {
			VMOVUPS(Mem{Base: bias, Index: from, Scale: 4, Disp: v * a.bytes()}, sum[s][v])
		}
	}

	Label("tap")
	x, w := tap(src, weights, taps, squares, width)
	i := GP64()
	MOVQ(steps, i)

	Label("step")
	Comment("sum[s][v] += x[s] * w[v], of four quads")
	if a.dot {
		dot(a, sum, x, w)
	}
	for s := range sum {
		if a.dot {
			break
		}
		xs := a.vecs(step)
		for q := range xs {
			VPBROADCASTD(Mem{Base: x[s], Disp: q * quad}, xs[q])
		}
		for v := range sum[s] {
			lane, more := a.vec(), a.vec()
			VPMADDUBSW(Mem{Base: w, Disp: v * a.bytes()}, xs[0], lane)
			for q := 1; q < step; q++ {
				VPMADDUBSW(Mem{Base: w, Disp: (q*vecs + v) * a.bytes()}, xs[q], more)
				VPADDW(more, lane, lane)
			}
			VPMADDWD(ones, lane, lane)
			VPADDD(lane, sum[s][v], sum[s][v])
		}
	}
	ADDQ(U32(uint32(step*vecs*a.bytes())), w)
	for s := range x {
		ADDQ(Imm(step*quad), x[s])
	}
	DECQ(i)
	JNZ(LabelRef("step"))
	DECQ(ntaps)
	JNZ(LabelRef("tap"))

	Comment("y[s][v] = float32(sum[s][v]) * scale[v]")
	scale := Load(Param("scale"), GP64())
	for v := range vecs {
		f := a.vec()
		VMOVUPS(Mem{Base: scale, Disp: v * a.bytes()}, f)
		for s := range sum {
			VCVTDQ2PS(sum[s][v], sum[s][v])
			VMULPS(f, sum[s][v], sum[s][v])
		}
	}
	at := make([]reg.GPVirtual, squares)
	for s := range at {
		at[s] = GP64()
		MOVQ(Mem{Base: group, Disp: 8 * s}, at[s])
	}
	floats := Load(Param("floats"), GP64())
	TESTQ(floats, floats)
	JZ(LabelRef("bytes"))
	for s := range sum {
		for v, y := range sum[s] {
			VMOVUPS(y, Mem{Base: floats, Index: at[s], Scale: 4, Disp: v * a.bytes()})
		}
	}
	JMP(LabelRef("next"))

	Label("bytes")
	residual := Load(Param("residual"), GP64())
	TESTQ(residual, residual)
	JZ(LabelRef("round"))
	Comment("y[s][v] += float32(residual[at[s]][v]) * ratio")
	ratio := a.broadcast("ratio")
	for s := range sum {
		for v, y := range sum[s] {
			r := a.vec()
			VPMOVZXBD(Mem{Base: residual, Index: at[s], Scale: 1, Disp: v * a.lanes}, r)
			VCVTDQ2PS(r, r)
			VMULPS(ratio, r, r)
			VADDPS(r, y, y)
		}
	}

	Label("round")
	Comment("y[s][v] = int32(round to even(min(y[s][v], 127)))")
	dst := Load(Param("dst"), GP64())
	most, bits := a.vec(), GP32()
	MOVL(U32(0x42fe0000), bits) // 127 as a float
	low := XMM()
	VMOVD(bits, low)
	VPBROADCASTD(low, most)
	for s := range sum {
		for _, y := range sum[s] {
			VMINPS(most, y, y)
			VCVTPS2DQ(y, y)
		}
	}
	Comment("dst[at[s]][v] = max(0, y[s][v]) as bytes")
	if a.dot {
		narrow(a, sum, dst, at)
	} else {
		pack(a, sum, dst, at)
	}

	Label("next")
	DECQ(groups)
	JNZ(LabelRef("group"))
	end()
}

// dot emits sum[s][v] += x[s] * w[v] for the quads of a step.
func dot(a isa, sum [][]reg.VecVirtual, x []reg.GPVirtual, w reg.GPVirtual) {
	for q := range step {
		ws := make([]Op, len(sum[0])) // in registers where several squares want them
		for v := range ws {
			ws[v] = Mem{Base: w, Disp: (q*len(ws) + v) * a.bytes()}
			if len(sum) > 1 {
				r := a.vec()
				VMOVDQU32(ws[v], r)
				ws[v] = r
			}
		}
		for s := range sum {
			b := a.vec()
			VPBROADCASTD(Mem{Base: x[s], Disp: q * quad}, b)
			for v := range ws {
				VPDPBUSD(ws[v], b, sum[s][v])
			}
		}
	}
}

// narrow emits the last step of int8Conv where one instruction cuts bytes out of words.
func narrow(a isa, sum [][]reg.VecVirtual, dst reg.Register, at []reg.GPVirtual) {
	zero := a.vec()
	a.zero(zero)
	for s := range sum {
		for v, y := range sum[s] {
			VPMAXSD(zero, y, y)
			VPMOVDB(y, Mem{Base: dst, Index: at[s], Scale: 1, Disp: v * a.lanes})
		}
	}
}

// pack emits the last step of int8Conv on AVX2: dst[at[s]][v] = max(0, y[s][v]) as bytes.
//
// Packing saturates, and goes by halves of 128 bits: of four vectors it leaves the lower half of each, then the upper
// ones. The order is mended with a permutation of 32-bit words.
func pack(a isa, sum [][]reg.VecVirtual, dst reg.Register, at []reg.GPVirtual) {
	order := a.vec()
	VMOVDQU(wordOrder(), order)
	for s := range sum {
		for v := 0; v < len(sum[s]); v += 4 {
			y, next := sum[s][v:], Mem{Base: dst, Index: at[s], Scale: 1, Disp: v * a.lanes}
			VPACKSSDW(y[1], y[0], y[0])
			if len(y) == 2 {
				VPACKUSWB(y[0], y[0], y[0])
				VPERMD(y[0], order, y[0])
				VMOVDQU(y[0].AsX(), next)
				break
			}
			VPACKSSDW(y[3], y[2], y[2])
			VPACKUSWB(y[2], y[0], y[0])
			VPERMD(y[0], order, y[0])
			VMOVDQU(y[0], next)
		}
	}
}

var wordOrderMem Mem

// wordOrder returns the constant that brings packed words back into order: even ones first. With two vectors packed
// twice the first four words are those of a square.
func wordOrder() Mem {
	if wordOrderMem.Base == nil {
		wordOrderMem = GLOBL("wordOrder", RODATA|NOPTR)
		for i, w := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
			DATA(4*i, U32(w))
		}
	}
	return wordOrderMem
}

// int8Sum emits the sum of 16 channels over squares, in 16-bit lanes.
func int8Sum() {
	function("int8SumAVX2", "func(dst *int32, src *uint8, squares, stride int)",
		"int8SumAVX2 sums 16 channels, with stride in bytes and at most 516 squares of values up to 127:",
		"",
		"	for c := range 16 {",
		"		dst[c] = 0",
		"		for s := range squares {",
		"			dst[c] += int32(src[s*stride+c])",
		"		}",
		"	}")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	squares := Load(Param("squares"), GP64())
	stride := Load(Param("stride"), GP64())
	sum := YMM()
	VPXOR(sum, sum, sum)
	Label("square")
	v := YMM()
	VPMOVZXBW(Mem{Base: src}, v)
	VPADDW(v, sum, sum)
	ADDQ(stride, src)
	DECQ(squares)
	JNZ(LabelRef("square"))
	low, high := YMM(), YMM()
	VPMOVZXWD(sum.AsX(), low)
	VMOVDQU(low, Mem{Base: dst})
	upper := XMM()
	VEXTRACTI128(Imm(1), sum, upper)
	VPMOVZXWD(upper, high)
	VMOVDQU(high, Mem{Base: dst, Disp: 32})
	end()
}

// int8Peak emits a loop of nothing but int8Conv's arithmetic on a step of quads quads; 4 is its own.
func int8Peak(a isa, quads int) {
	const sums = 8
	function(fmt.Sprintf("int8Peak%sQ%d", a.name, quads), "func(n int)",
		fmt.Sprintf("int8Peak%sQ%d multiplies %d quads in each lane of 8 vectors n times:", a.name, quads, quads),
		"",
		"	for range n {",
		"		for i := range sum { // 8 vectors",
		fmt.Sprintf("			for range %d * 4 {", quads),
		"				sum[i] += x * y",
		"			}",
		"		}",
		"	}")
	n := Load(Param("n"), GP64())
	x, y, ones, sum := a.vec(), a.vec(), a.vec(), a.vecs(sums)
	for _, v := range append([]reg.VecVirtual{x, y, ones}, sum...) {
		a.zero(v)
	}
	Label("loop")
	for _, s := range sum {
		lane, more := a.vec(), a.vec()
		VPMADDUBSW(y, x, lane)
		for range quads - 1 {
			VPMADDUBSW(y, x, more)
			VPADDW(more, lane, lane)
		}
		VPMADDWD(ones, lane, lane)
		VPADDD(lane, s, s)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	end()
}

// int8PeakDot emits a loop of nothing but int8Conv's arithmetic where one instruction multiplies a quad.
func int8PeakDot(a isa) {
	function("int8Peak"+a.name, "func(n int)",
		"int8Peak"+a.name+" multiplies a quad in each lane of 12 vectors n times:",
		"",
		"	for range n {",
		"		for i := range sum { // 12 vectors",
		"			for range 4 {",
		"				sum[i] += x * y",
		"			}",
		"		}",
		"	}")
	n := Load(Param("n"), GP64())
	x, y, sum := a.vec(), a.vec(), a.vecs(peakSums)
	for _, v := range append([]reg.VecVirtual{x, y}, sum...) {
		a.zero(v)
	}
	Label("loop")
	for _, s := range sum {
		VPDPBUSD(y, x, s)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	end()
}
