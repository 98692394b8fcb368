package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sparse emits the change of sums by rows of 16 bits chosen by their numbers, and the sums
// clipped, squared and weighed. The lanes of so many vectors stay in registers while all rows go
// by. (AVX512 is with AVX-512BW.) Unless keep is true the changed sums are not written back.
func sparse(a isa, vectors int, keep bool) {
	name, does, store := fmt.Sprintf("sparse%sx%d", a.name, vectors), " changes the sums of a SparseNet and computes an output:",
		"		sums[lane] = x"
	if !keep {
		name, does, store = fmt.Sprintf("sparsePeek%sx%d", a.name, vectors), " computes an output of changed sums of a SparseNet:",
			"		// sums[lane] stays"
	}
	function(name, "func(rows, sums *int16, removed *uint16, less int, added *uint16, more int, weights *int16, blocks, stride int) int32",
		name+does,
		"",
		fmt.Sprintf("	for lane := range blocks * %d {", vectors*a.bytes()/2),
		"		x := sums[lane]",
		"		for _, i := range removed[:less] {",
		"			x -= rows[i*stride/2+lane]",
		"		}",
		"		for _, i := range added[:more] {",
		"			x += rows[i*stride/2+lane]",
		"		}",
		store,
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
		if keep {
			a.move(v, Mem{Base: sums, Disp: i * a.bytes()})
		}
		a.weigh(v, zero, most, Mem{Base: weights, Disp: i * a.bytes()}, sum)
	}
	for _, p := range []reg.Register{rows, sums, weights} {
		ADDQ(U32(vectors*a.bytes()), p)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	Store(a.total(sum), ReturnIndex(0))
	end()
}

// weigh emits the activations of the 16-bit sums in v, times weights, added to sum. It spoils v.
func (a isa) weigh(v, zero, most reg.VecVirtual, weights Mem, sum reg.VecVirtual) {
	VPMAXSW(zero, v, v)
	VPMINSW(most, v, v)
	VPSLLW(U8(5), v, v)
	VPMULHUW(v, v, v)
	VPMADDWD(weights, v, v)
	VPADDD(v, sum, sum)
}

// total emits the sum of the 32-bit lanes of sum.
func (a isa) total(sum reg.VecVirtual) reg.GPVirtual {
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
	return result
}

// sparseSwaps emits outputs for sums that differ from those in memory by one row each less and one
// more. The sums stay in registers while all pairs of rows go by.
func sparseSwaps(a isa, vectors int) {
	name := fmt.Sprintf("sparseSwaps%sx%d", a.name, vectors)
	function(name, "func(rows, sums *int16, swaps *uint16, count int, weights *int16, blocks, stride int, out *int32)",
		name+" adds to each of the first count elements of out an output of a SparseNet, one input swapped for another:",
		"",
		fmt.Sprintf("	for lane := range blocks * %d {", vectors*a.bytes()/2),
		"		for i := range count {",
		"			x := sums[lane] - rows[swaps[2*i]*stride/2+lane] + rows[swaps[2*i+1]*stride/2+lane]",
		"			x = min(max(x, 0), 255)",
		"			out[i] += (x * x >> 6) * weights[lane]",
		"		}",
		"	}")
	rows := Load(Param("rows"), GP64())
	sums := Load(Param("sums"), GP64())
	weights := Load(Param("weights"), GP64())
	blocks := Load(Param("blocks"), GP64())
	stride := Load(Param("stride"), GP64())
	zero, most := a.vec(), a.vec()
	a.zero(zero)
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
	at := Load(Param("swaps"), GP64())
	out := Load(Param("out"), GP64())
	left := Load(Param("count"), GP64())
	Label("swap")
	gone, come := GP64(), GP64()
	MOVWQZX(Mem{Base: at}, gone)
	MOVWQZX(Mem{Base: at, Disp: 2}, come)
	IMULQ(stride, gone)
	IMULQ(stride, come)
	ADDQ(rows, gone)
	ADDQ(rows, come)
	sum, x := a.vec(), a.vec()
	a.zero(sum)
	for i, v := range acc {
		VPSUBW(Mem{Base: gone, Disp: i * a.bytes()}, v, x)
		VPADDW(Mem{Base: come, Disp: i * a.bytes()}, x, x)
		a.weigh(x, zero, most, Mem{Base: weights, Disp: i * a.bytes()}, sum)
	}
	ADDL(a.total(sum), Mem{Base: out})
	ADDQ(U8(4), at)
	ADDQ(U8(4), out)
	DECQ(left)
	JNZ(LabelRef("swap"))
	for _, p := range []reg.Register{rows, sums, weights} {
		ADDQ(U32(vectors*a.bytes()), p)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	end()
}
