package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sparse emits the change of sums by rows of 16 bits chosen by their numbers, and the sums clipped, squared and weighed. 64
// lanes stay in registers while all rows go by.
func sparse() {
	const vectors, vectorBytes = 4, 32
	function("sparseAVX2", "func(rows, sums *int16, removed *uint16, less int, added *uint16, more int, weights *int16, blocks, stride int) int32",
		"sparseAVX2 changes the sums of a SparseNet and computes an output:",
		"",
		"	for lane := range blocks * 64 {",
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
	zero, most, sum := YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPXOR(sum, sum, sum)
	highest := GP32()
	MOVL(U32(255), highest)
	low := XMM()
	MOVD(highest, low)
	VPBROADCASTW(low, most)
	Label("block")
	var acc []reg.VecVirtual
	for i := range vectors {
		v := YMM()
		VMOVDQU(Mem{Base: sums, Disp: i * vectorBytes}, v)
		acc = append(acc, v)
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
			list.step(Mem{Base: row, Disp: i * vectorBytes}, v, v)
		}
		ADDQ(U8(2), at)
		DECQ(left)
		JNZ(LabelRef(list.name))
		Label("no_more_" + list.name)
	}
	for i, v := range acc {
		VMOVDQU(v, Mem{Base: sums, Disp: i * vectorBytes})
		VPMAXSW(zero, v, v)
		VPMINSW(most, v, v)
		VPSLLW(U8(5), v, v)
		VPMULHUW(v, v, v)
		VPMADDWD(Mem{Base: weights, Disp: i * vectorBytes}, v, v)
		VPADDD(v, sum, sum)
	}
	for _, p := range []reg.Register{rows, sums, weights} {
		ADDQ(U32(vectors*vectorBytes), p)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	high := XMM()
	VEXTRACTI128(U8(1), sum, high)
	VPADDD(sum.AsX(), high, high)
	other := XMM()
	VPSHUFD(U8(0x4e), high, other)
	VPADDD(other, high, high)
	VPSHUFD(U8(0xb1), high, other)
	VPADDD(other, high, high)
	result := GP32()
	MOVD(high, result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}
