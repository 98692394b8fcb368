package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumRows emits the sum of rows of a table, chosen by their numbers. So many vectors of a row stay
// in registers while all rows go by.
func sumRows(a isa, vectors int) {
	name := fmt.Sprintf("sumRows%sx%d", a.name, vectors)
	function(name, "func(dst, first, table *float32, rows *int32, count, blocks, stride int)",
		name+" sums rows of a table; stride is the length of a row in bytes:",
		"",
		fmt.Sprintf("	for lane := range blocks * %d {", vectors*a.lanes),
		"		x := first[lane]",
		"		for _, i := range rows[:count] {",
		"			x += table[i*stride/4+lane]",
		"		}",
		"		dst[lane] = x",
		"	}")
	dst := Load(Param("dst"), GP64())
	first := Load(Param("first"), GP64())
	table := Load(Param("table"), GP64())
	blocks := Load(Param("blocks"), GP64())
	stride := Load(Param("stride"), GP64())
	Label("block")
	acc := a.vecs(vectors)
	for i, v := range acc {
		VMOVUPS(Mem{Base: first, Disp: i * a.bytes()}, v)
	}
	a.overRows(table, stride, func(row reg.Register) {
		for i, v := range acc {
			VADDPS(Mem{Base: row, Disp: i * a.bytes()}, v, v)
		}
	})
	for i, v := range acc {
		VMOVUPS(v, Mem{Base: dst, Disp: i * a.bytes()})
	}
	for _, p := range []reg.Register{dst, first, table} {
		ADDQ(U32(vectors*a.bytes()), p)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	end()
}

// addToRows emits the addition of the same to rows of a table, chosen by their numbers.
func addToRows(a isa, vectors int) {
	name := fmt.Sprintf("addToRows%sx%d", a.name, vectors)
	function(name, "func(table *float32, rows *int32, count int, src *float32, blocks, stride int)",
		name+" adds to rows of a table; stride is the length of a row in bytes:",
		"",
		fmt.Sprintf("	for lane := range blocks * %d {", vectors*a.lanes),
		"		for _, i := range rows[:count] {",
		"			table[i*stride/4+lane] += src[lane]",
		"		}",
		"	}")
	table := Load(Param("table"), GP64())
	src := Load(Param("src"), GP64())
	blocks := Load(Param("blocks"), GP64())
	stride := Load(Param("stride"), GP64())
	Label("block")
	add := a.vecs(vectors)
	for i, v := range add {
		VMOVUPS(Mem{Base: src, Disp: i * a.bytes()}, v)
	}
	a.overRows(table, stride, func(row reg.Register) {
		for i, v := range add {
			x := a.vec()
			VADDPS(Mem{Base: row, Disp: i * a.bytes()}, v, x)
			VMOVUPS(x, Mem{Base: row, Disp: i * a.bytes()})
		}
	})
	for _, p := range []reg.Register{table, src} {
		ADDQ(U32(vectors*a.bytes()), p)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	end()
}

// overRows emits a loop over the row numbers of the parameters rows and count, of which there may
// be none.
func (a isa) overRows(table, stride reg.Register, body func(row reg.Register)) {
	at := Load(Param("rows"), GP64())
	left := Load(Param("count"), GP64())
	TESTQ(left, left)
	JZ(LabelRef("no_more_rows"))
	Label("row")
	row := GP64()
	MOVLQSX(Mem{Base: at}, row)
	IMULQ(stride, row)
	ADDQ(table, row)
	body(row)
	ADDQ(U8(4), at)
	DECQ(left)
	JNZ(LabelRef("row"))
	Label("no_more_rows")
}
