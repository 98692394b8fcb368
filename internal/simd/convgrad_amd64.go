//go:build !purego

package simd

// gradPanels has no use without assembly.
type gradPanels struct{}

func (g *ConvGrad) initPanels() { g.sums = make([]float32, g.lattice.Taps*g.ci*g.co) }

func (g *ConvGrad) addBlocks(src, dout []float32, blocks int) {
	g.addBlocksGeneric(src, dout, blocks)
}

func (g *ConvGrad) sumInto(dw []float32) { g.sumIntoGeneric(dw) }
