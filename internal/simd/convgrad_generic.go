package simd

// addBlocksGeneric is AddBlocks in plain Go, on raw sums.
func (g *ConvGrad) addBlocksGeneric(src, dout []float32, blocks int) {
	squares := g.lattice.Squares
	for b := range blocks {
		x := src[b*squares*g.ci*Lanes:]
		d := dout[b*squares*g.co*Lanes:]
		for s, row := range g.lattice.Neighbour {
			for t, n := range row {
				if n < 0 {
					continue
				}
				for i := range g.ci {
					dw := g.sums[(t*g.ci+i)*g.co:][:g.co]
					addDots(dw, x[(n*g.ci+i)*Lanes:], d[s*g.co*Lanes:])
				}
			}
		}
	}
}

// addDots adds to each dw[o] the product of x and row o of d, both Lanes long.
// len(dw) is a multiple of 4.
func addDots(dw, x, d []float32) {
	x = x[:Lanes]
	for o := 0; o+4 <= len(dw); o += 4 {
		d0, d1 := d[(o+0)*Lanes:][:Lanes], d[(o+1)*Lanes:][:Lanes]
		d2, d3 := d[(o+2)*Lanes:][:Lanes], d[(o+3)*Lanes:][:Lanes]
		var a0, a1, a2, a3 float32
		for l, v := range x {
			a0 += v * d0[l]
			a1 += v * d1[l]
			a2 += v * d2[l]
			a3 += v * d3[l]
		}
		dw[o] += a0
		dw[o+1] += a1
		dw[o+2] += a2
		dw[o+3] += a3
	}
}

// sumIntoGeneric adds raw sums to dw.
func (g *ConvGrad) sumIntoGeneric(dw []float32) {
	for i, v := range g.sums {
		dw[i] += v
	}
}
