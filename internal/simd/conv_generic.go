package simd

// genericWidth is the number of output channels that forwardGeneric computes
// at once.
const genericWidth = 4

// forwardGeneric is Forward in plain Go, for tiles of genericWidth channels.
// Four channels by two boards are summed in registers.
func (c *Conv) forwardGeneric(dst, src, bias, residual []float32, relu bool) {
	for s := range c.lattice.Squares {
		taps := c.taps[c.first[s]:c.first[s+1]]
		for _, t := range c.tiles {
			tile := dst[(s*c.co+t.co)*Lanes:][:genericWidth*Lanes]
			b := bias[t.co:][:genericWidth]
			for l := 0; l < Lanes; l += 2 {
				a0, a1, a2, a3 := b[0], b[1], b[2], b[3]
				b0, b1, b2, b3 := a0, a1, a2, a3
				for _, tap := range taps {
					x := src[tap.src/4:][:c.ci*Lanes]
					w := c.weights[t.weight+int(tap.weight)/4*genericWidth:][:c.ci*genericWidth]
					for len(w) >= genericWidth && len(x) >= Lanes {
						xa, xb := x[l], x[l+1]
						a0 += xa * w[0]
						b0 += xb * w[0]
						a1 += xa * w[1]
						b1 += xb * w[1]
						a2 += xa * w[2]
						b2 += xb * w[2]
						a3 += xa * w[3]
						b3 += xb * w[3]
						x, w = x[Lanes:], w[genericWidth:]
					}
				}
				if residual != nil {
					r := residual[(s*c.co+t.co)*Lanes+l:]
					a0 += r[0*Lanes]
					b0 += r[0*Lanes+1]
					a1 += r[1*Lanes]
					b1 += r[1*Lanes+1]
					a2 += r[2*Lanes]
					b2 += r[2*Lanes+1]
					a3 += r[3*Lanes]
					b3 += r[3*Lanes+1]
				}
				tile[0*Lanes+l], tile[0*Lanes+l+1] = a0, b0
				tile[1*Lanes+l], tile[1*Lanes+l+1] = a1, b1
				tile[2*Lanes+l], tile[2*Lanes+l+1] = a2, b2
				tile[3*Lanes+l], tile[3*Lanes+l+1] = a3, b3
			}
			if relu {
				for i, v := range tile {
					if v < 0 {
						tile[i] = 0
					}
				}
			}
		}
	}
}
