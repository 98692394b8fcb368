package simd

// ConvGrad sums up the gradient of a convolution's weights. It belongs to one
// goroutine: give each worker its own and let one of them Sum.
type ConvGrad struct {
	level   Level
	lattice *Lattice
	ci, co  int

	// sums is the gradient so far. At level Generic it is raw, [tap][ci][co];
	// the assembly keeps a sum per lane, see convgrad_amd64.go.
	sums []float32

	panels *gradPanels // what the assembly works on, nil at level Generic
}

// NewConvGrad returns the zero gradient of the weights of a convolution over l
// from ci to co channels. ci is at least 1, co a positive multiple of 8.
func NewConvGrad(level Level, l *Lattice, ci, co int) *ConvGrad {
	level.mustRun()
	checkChannels(ci, co)
	g := &ConvGrad{level: level, lattice: l, ci: ci, co: co}
	if level == Generic {
		g.sums = make([]float32, l.Taps*ci*co)
	} else {
		g.initPanels()
	}
	return g
}

// Reset makes the gradient zero.
func (g *ConvGrad) Reset() { clear(g.sums) }

// Add adds one block: AddBlocks with blocks 1.
func (g *ConvGrad) Add(src, dout []float32) { g.AddBlocks(src, dout, 1) }

// AddBlocks adds, for every weight,
//
//	dw[t][i][o] += sum over blocks, squares s and boards of
//	               src[Neighbour[s][t]][i] * dout[s][o]
//
// src is [block][square][ci][Lanes], the input of the convolution, and dout
// [block][square][co][Lanes], the gradient of its output before residual and
// bias, that is after ReLUMask. Dense layers gain much from many blocks per
// call. AddBlocks does not allocate.
func (g *ConvGrad) AddBlocks(src, dout []float32, blocks int) {
	n := blocks * g.lattice.Squares * Lanes
	if len(src) != n*g.ci || len(dout) != n*g.co {
		panic(badLength)
	}
	g.addBlocks(src, dout, blocks)
}

// Sum sets dw, raw as [tap][ci][co], to the sum of g and parts. These were made
// by NewConvGrad with the same arguments and are not changed.
func (g *ConvGrad) Sum(dw []float32, parts ...*ConvGrad) {
	if len(dw) != g.lattice.Taps*g.ci*g.co {
		panic(badLength)
	}
	clear(dw)
	g.sumInto(dw)
	for _, p := range parts {
		if p.ci != g.ci || p.co != g.co || p.lattice.Taps != g.lattice.Taps {
			panic("simd: sum of gradients of different convolutions")
		}
		p.sumInto(dw)
	}
}
