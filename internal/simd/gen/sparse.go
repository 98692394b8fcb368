package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sparse emits the change of sums by rows of 16 bits chosen by their numbers, and the sums clipped, squared and weighed. The
// lanes of so many vectors stay in registers while all rows go by. (AVX512 is with AVX-512BW.)
func sparse(a isa, vectors int) {
	name := fmt.Sprintf("sparse%sx%d", a.name, vectors)
	function(name, "func(rows, sums *int16, removed *uint16, less int, added *uint16, more int, weights *int16, blocks, stride int) int32",
		name+" changes the sums of a SparseNet and computes an output:",
		"",
		fmt.Sprintf("	for lane := range blocks * %d {", vectors*a.bytes()/2),
		"		x := sums[lane]",
		"		for _, i := range removed[:less] {",
		"			x -= rows[i*stride/2+lane]",
		"		}",
		"		for _, i := range added[:more] {",
		"			x += rows[i*stride/2+lane]",
		"		}",
		"		sums[lane] = x",
		"		x = min(max(x, 0), 255)",
		"		sum += (x * x >> 6) * weights[lane]",
		"	}")
	rows := Load(Param("rows"), GP64())
	sums := Load(Param("sums"), GP64())
	weights := Load(Param("weights"), GP64())
	blocks := Load(Param("blocks"), GP64())
	stride := Load(Param("stride"), GP64())
	zero, most, sum := a.vec(), a.vec(), a.vec()
	a.zero(zero)
	a.zero(sum)
	highest := GP32()
	MOVL(U32(255), highest)
	low := XMM()
	VMOVD(highest, low)
	VPBROADCASTW(low, most)
	Label("block")
	acc := a.vecs(vectors)
	for i, v := range acc {
		a.move(Mem{Base: sums, Disp: i * a.bytes()}, v)
	}
	for _, list := range []struct {
		name, count string
		step        func(ops ...Op)
	}{{"removed", "less", VPSUBW}, {"added", "more", VPADDW}} {
		at, left := GP64(), GP64()
		Load(Param(list.name), at)
		Load(Param(list.count), left)
		TESTQ(left, left)
		JZ(LabelRef("no_more_" + list.name))
		Label(list.name)
		row := GP64()
		MOVWQZX(Mem{Base: at}, row)
		IMULQ(stride, row)
		ADDQ(rows, row)
		for i, v := range acc {
			list.step(Mem{Base: row, Disp: i * a.bytes()}, v, v)
		}
		ADDQ(U8(2), at)
		DECQ(left)
		JNZ(LabelRef(list.name))
		Label("no_more_" + list.name)
	}
	for i, v := range acc {
		a.move(v, Mem{Base: sums, Disp: i * a.bytes()})
		VPMAXSW(zero, v, v)
		VPMINSW(most, v, v)
		VPSLLW(U8(5), v, v)
		VPMULHUW(v, v, v)
		VPMADDWD(Mem{Base: weights, Disp: i * a.bytes()}, v, v)
		VPADDD(v, sum, sum)
	}
	for _, p := range []reg.Register{rows, sums, weights} {
		ADDQ(U32(vectors*a.bytes()), p)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	half := sum.AsY()
	if a.lanes == 16 {
		upper := YMM()
		VEXTRACTI64X4(U8(1), sum, upper)
		VPADDD(upper, half, half)
	}
	high := XMM()
	VEXTRACTI128(U8(1), half, high)
	VPADDD(sum.AsX(), high, high)
	other := XMM()
	VPSHUFD(U8(0x4e), high, other)
	VPADDD(other, high, high)
	VPSHUFD(U8(0xb1), high, other)
	VPADDD(other, high, high)
	result := GP32()
	VMOVD(high, result)
	Store(result, ReturnIndex(0))
	end()
}
