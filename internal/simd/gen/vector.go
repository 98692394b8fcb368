package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// eachRow emits a loop over rows: body is emitted once per vector of a row and
// gets its place, a displacement from the pointers, which the loop moves on.
func (a isa) eachRow(rows reg.Register, pointers []reg.Register, body func(disp int)) {
	Label("row")
	for disp := 0; disp < rowBytes; disp += a.bytes() {
		body(disp)
	}
	for _, p := range pointers {
		ADDQ(U32(rowBytes), p)
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
}

// broadcast emits the load of a float parameter into all lanes.
func (a isa) broadcast(param string) reg.VecVirtual {
	p, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	v := a.vec()
	VBROADCASTSS(p.Addr, v)
	return v
}

func axpy(a isa) {
	function("axpy"+a.name, "func(dst *float32, a float32, src *float32, rows int)",
		"axpy"+a.name+" adds a multiple:",
		"",
		"	for i := range rows * 32 {",
		"		dst[i] += a * src[i]",
		"	}")
	dst := Load(Param("dst"), GP64())
	factor := a.broadcast("a")
	src := Load(Param("src"), GP64())
	rows := Load(Param("rows"), GP64())
	a.eachRow(rows, []reg.Register{dst, src}, func(disp int) {
		v := a.vec()
		VMOVUPS(Mem{Base: dst, Disp: disp}, v)
		VFMADD231PS(Mem{Base: src, Disp: disp}, factor, v)
		VMOVUPS(v, Mem{Base: dst, Disp: disp})
	})
	end()
}

func scale(a isa) {
	function("scale"+a.name, "func(dst *float32, a float32, src *float32, rows int)",
		"scale"+a.name+" multiplies:",
		"",
		"	for i := range rows * 32 {",
		"		dst[i] = a * src[i]",
		"	}")
	dst := Load(Param("dst"), GP64())
	factor := a.broadcast("a")
	src := Load(Param("src"), GP64())
	rows := Load(Param("rows"), GP64())
	a.eachRow(rows, []reg.Register{dst, src}, func(disp int) {
		v := a.vec()
		VMULPS(Mem{Base: src, Disp: disp}, factor, v)
		VMOVUPS(v, Mem{Base: dst, Disp: disp})
	})
	end()
}

func sumOfSquares(a isa) {
	function("sumOfSquares"+a.name, "func(x *float32, rows int) float32",
		"sumOfSquares"+a.name+" sums lane by lane and then over lanes:",
		"",
		"	for i := range rows * 32 {",
		"		sum[i%32] += x[i] * x[i]",
		"	}",
		"	return addUp(sum)")
	x := Load(Param("x"), GP64())
	rows := Load(Param("rows"), GP64())
	a.sumOf(rows, []reg.Register{x}, func(disp int, sum reg.VecVirtual) {
		v := a.vec()
		VMOVUPS(Mem{Base: x, Disp: disp}, v)
		VFMADD231PS(v, v, sum)
	})
}

func dotProduct(a isa) {
	function("dot"+a.name, "func(x, y *float32, rows int) float32",
		"dot"+a.name+" sums lane by lane and then over lanes:",
		"",
		"	for i := range rows * 32 {",
		"		sum[i%32] += x[i] * y[i]",
		"	}",
		"	return addUp(sum)")
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	rows := Load(Param("rows"), GP64())
	a.sumOf(rows, []reg.Register{x, y}, func(disp int, sum reg.VecVirtual) {
		v := a.vec()
		VMOVUPS(Mem{Base: x, Disp: disp}, v)
		VFMADD231PS(Mem{Base: y, Disp: disp}, v, sum)
	})
}

// sumOf emits a loop over rows, of which add adds to a sum for each lane, and returns the sum of
// these.
func (a isa) sumOf(rows reg.Register, pointers []reg.Register, add func(disp int, sum reg.VecVirtual)) {
	sum := a.vecs(rowBytes / a.bytes())
	for _, s := range sum {
		a.zero(s)
	}
	a.eachRow(rows, pointers, func(disp int) { add(disp, sum[disp/a.bytes()]) })
	result, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSS(a.addUp(a.addPairs(sum)), result.Addr) // Store would not take the AVX instruction
	end()
}

// one returns a register of ones.
func (a isa) one() reg.VecVirtual {
	bits, low, v := GP32(), XMM(), a.vec()
	MOVL(U32(0x3f800000), bits)
	VMOVD(bits, low)
	VBROADCASTSS(low, v)
	return v
}

func clippedSquare(a isa) {
	function("clippedSquare"+a.name, "func(dst, x *float32, rows int)",
		"clippedSquare"+a.name+" clips and squares:",
		"",
		"	for i := range rows * 32 {",
		"		y := min(max(x[i], 0), 1)",
		"		dst[i] = y * y",
		"	}")
	dst := Load(Param("dst"), GP64())
	x := Load(Param("x"), GP64())
	rows := Load(Param("rows"), GP64())
	zero, one := a.vec(), a.one()
	a.zero(zero)
	a.eachRow(rows, []reg.Register{dst, x}, func(disp int) {
		v := a.vec()
		VMAXPS(Mem{Base: x, Disp: disp}, zero, v)
		VMINPS(v, one, v)
		VMULPS(v, v, v)
		VMOVUPS(v, Mem{Base: dst, Disp: disp})
	})
	end()
}

func clippedSquareGrad(a isa) {
	function("clippedSquareGrad"+a.name, "func(dst, x, w *float32, factor float32, rows int)",
		"clippedSquareGrad"+a.name+" is the derivative of a weighed clippedSquare:",
		"",
		"	for i := range rows * 32 {",
		"		if dst[i] = 2 * x[i] * w[i] * factor; !(x[i] > 0 && x[i] < 1) {",
		"			dst[i] = 0",
		"		}",
		"	}")
	dst := Load(Param("dst"), GP64())
	x := Load(Param("x"), GP64())
	w := Load(Param("w"), GP64())
	factor := a.broadcast("factor")
	rows := Load(Param("rows"), GP64())
	zero, one := a.vec(), a.one()
	a.zero(zero)
	const less = 17 // LT_OQ: false for NaN
	a.eachRow(rows, []reg.Register{dst, x, w}, func(disp int) {
		v, y := a.vec(), a.vec()
		VMOVUPS(Mem{Base: x, Disp: disp}, v)
		VADDPS(v, v, y)
		VMULPS(Mem{Base: w, Disp: disp}, y, y)
		if a.lanes == 16 {
			above, inside := K(), K()
			VCMPPS(Imm(less), v, zero, above)
			VCMPPS(Imm(less), one, v, inside)
			KANDW(above, inside, inside)
			VMULPS_Z(factor, y, inside, y)
		} else {
			above := a.vec()
			VCMPPS(Imm(less), v, zero, above)
			VCMPPS(Imm(less), one, v, v)
			VANDPS(above, v, v)
			VMULPS(factor, y, y)
			VANDPS(v, y, y)
		}
		VMOVUPS(y, Mem{Base: dst, Disp: disp})
	})
	end()
}

func clip(a isa) {
	function("clip"+a.name, "func(x *float32, most float32, rows int)",
		"clip"+a.name+" keeps within bounds, and keeps NaN:",
		"",
		"	for i := range rows * 32 {",
		"		x[i] = min(max(x[i], -most), most)",
		"	}")
	x := Load(Param("x"), GP64())
	most := a.broadcast("most")
	rows := Load(Param("rows"), GP64())
	least := a.vec()
	a.zero(least)
	VSUBPS(most, least, least)
	a.eachRow(rows, []reg.Register{x}, func(disp int) {
		v := a.vec()
		VMAXPS(Mem{Base: x, Disp: disp}, least, v)
		VMINPS(v, most, v)
		VMOVUPS(v, Mem{Base: x, Disp: disp})
	})
	end()
}

// addPairs emits the sum of the vectors vs, whose number is a power of two; it
// destroys them.
func (a isa) addPairs(vs []reg.VecVirtual) reg.VecVirtual {
	for n := len(vs) / 2; n > 0; n /= 2 {
		for i := range n {
			VADDPS(vs[i+n], vs[i], vs[i])
		}
	}
	return vs[0]
}

// addUp emits the sum of the lanes of v, in pairs: upper half to lower half and
// so on.
func (a isa) addUp(v reg.VecVirtual) reg.VecVirtual {
	if a.lanes == 16 {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), v, upper)
		VADDPS(upper, v.AsY(), upper)
		v = upper
	}
	upper, sum := XMM(), XMM()
	VEXTRACTF128(Imm(1), v.AsY(), upper)
	VADDPS(upper, v.AsX(), sum)
	VMOVHLPS(sum, sum, upper)
	VADDPS(upper, sum, sum)
	VMOVSHDUP(sum, upper)
	VADDSS(upper, sum, sum)
	return sum
}

func adamW(a isa) {
	function("adamW"+a.name, "func(w, m, v, grad, constants *float32, rows int)",
		"adamW"+a.name+" is a step of AdamW; constants are the fields of adamWConstants:",
		"",
		"	for i := range rows * 32 {",
		"		m[i] = beta1*m[i] + rest1*grad[i]",
		"		v[i] = beta2*v[i] + rest2*(grad[i]*grad[i])",
		"		w[i] = keep*w[i] - rate*(m[i]/(sqrt(v[i]*inverse2)+epsilon))",
		"	}")
	w := Load(Param("w"), GP64())
	m := Load(Param("m"), GP64())
	v := Load(Param("v"), GP64())
	g := Load(Param("grad"), GP64()) // "g" is a register to the assembler
	constants := Load(Param("constants"), GP64())
	rows := Load(Param("rows"), GP64())
	var constant []reg.VecVirtual
	for i := range 8 {
		c := a.vec()
		VBROADCASTSS(Mem{Base: constants, Disp: i * floatBytes}, c)
		constant = append(constant, c)
	}
	beta1, rest1, beta2, rest2 := constant[0], constant[1], constant[2], constant[3]
	inverse2, epsilon, rate, keep := constant[4], constant[5], constant[6], constant[7]
	a.eachRow(rows, []reg.Register{w, m, v, g}, func(disp int) {
		h, t, u := a.vec(), a.vec(), a.vec()
		Comment("t = m = beta1*m + rest1*grad")
		VMOVUPS(Mem{Base: g, Disp: disp}, h)
		VMULPS(Mem{Base: m, Disp: disp}, beta1, t)
		VFMADD231PS(h, rest1, t)
		VMOVUPS(t, Mem{Base: m, Disp: disp})
		Comment("u = v = beta2*v + rest2*grad*grad")
		VMULPS(h, h, h)
		VMULPS(Mem{Base: v, Disp: disp}, beta2, u)
		VFMADD231PS(h, rest2, u)
		VMOVUPS(u, Mem{Base: v, Disp: disp})
		Comment("w = keep*w - rate*t/(sqrt(u*inverse2)+epsilon)")
		VMULPS(inverse2, u, u)
		VSQRTPS(u, u)
		VADDPS(epsilon, u, u)
		VDIVPS(u, t, t)
		VMULPS(Mem{Base: w, Disp: disp}, keep, h)
		VFNMADD231PS(t, rate, h)
		VMOVUPS(h, Mem{Base: w, Disp: disp})
	})
	end()
}
