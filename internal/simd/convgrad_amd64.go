//go:build !purego

package simd

const (
	gradWidth  = 4         // output channels in a panel
	panelLanes = Lanes / 2 // boards in a panel
	panelRows  = 64        // squares in a panel, at most, if the lattice has no more
)

// gradPanels is the scratch memory and the tables of the assembly.
//
// A channel of neighbouring squares lies kilobytes apart, at distances that map
// to the same few sets of the cache. So channels are first copied to panels,
//
//	[square][width][panelLanes]
//
// of width channels, half a row of boards and all squares, or the squares of
// several blocks if the lattice is small. The panels of an input tile and of an
// output tile fit into the first-level cache together; all taps are summed
// while they are there.
type gradPanels struct {
	blocks int       // blocks in a panel, at most
	d      []float32 // the panels of all output tiles
	x      []float32 // the panel of one input tile

	// pairs is [input width][tap]: the panel rows to multiply. A batch of
	// fewer than blocks blocks uses the first perBlock[tap] a block.
	pairs    [][][]gradPair
	perBlock []int
}

// gradPair is one square and its neighbour along a tap. The assembly reads it.
type gradPair struct {
	x, d int64 // bytes from the start of the two panels
}

// gradVector returns the lanes of the level's vectors, gradMax its most input
// channels in a tile.
func (l Level) gradVector() int {
	if l == AVX512 {
		return 16
	}
	return 8
}

func (l Level) gradMax() int {
	if l == AVX512 {
		return 4
	}
	return 3
}

// gradTile returns how many of the rest input channels the next tile takes. A
// tile of one channel is slow: two of two are better than three and one.
func (l Level) gradTile(rest int) int {
	w := min(rest, l.gradMax())
	if rest == w+1 && w > 2 {
		w--
	}
	return w
}

// initPanels makes the tables. sums is then [input tile][output tile][tap]
// [input channel][output channel][lane of a vector].
func (g *ConvGrad) initPanels() {
	l := g.lattice
	g.sums = make([]float32, l.Taps*g.ci*g.co*g.level.gradVector())
	p := &gradPanels{blocks: max(1, panelRows/l.Squares)}
	rows := p.blocks * l.Squares
	p.d = make([]float32, rows*g.co*panelLanes)
	p.x = make([]float32, rows*g.level.gradMax()*panelLanes)
	p.pairs = make([][][]gradPair, g.level.gradMax()+1)
	p.perBlock = make([]int, l.Taps)
	for w := 1; w < len(p.pairs); w++ {
		p.pairs[w] = make([][]gradPair, l.Taps)
		for b := range p.blocks {
			for s, row := range l.Neighbour {
				for t, n := range row {
					if n < 0 {
						continue
					}
					p.pairs[w][t] = append(p.pairs[w][t], gradPair{
						x: int64((b*l.Squares + n) * w * panelLanes * 4),
						d: int64((b*l.Squares + s) * gradWidth * panelLanes * 4),
					})
				}
			}
		}
	}
	for t := range p.perBlock {
		p.perBlock[t] = len(p.pairs[1][t]) / p.blocks
	}
	g.panels = p
}

func (g *ConvGrad) addBlocks(src, dout []float32, blocks int) {
	if g.level == Generic {
		g.addBlocksGeneric(src, dout, blocks)
		return
	}
	x, d := g.lattice.Squares*g.ci*Lanes, g.lattice.Squares*g.co*Lanes
	for b := 0; b < blocks; b += g.panels.blocks {
		n := min(blocks-b, g.panels.blocks)
		for half := 0; half < Lanes; half += panelLanes {
			g.addPanels(src[b*x:], dout[b*d:], n, half)
		}
	}
}

// addPanels adds blocks blocks, at most a panel's, for half a row of boards.
func (g *ConvGrad) addPanels(src, dout []float32, blocks, half int) {
	p := g.panels
	rows := blocks * g.lattice.Squares
	dPanel := rows * gradWidth * panelLanes
	for o := 0; o < g.co; o += gradWidth {
		fillPanel(p.d[o/gradWidth*dPanel:], dout[o*Lanes+half:], rows, gradWidth, g.co*Lanes)
	}
	sums := g.sums
	for i := 0; i < g.ci; {
		w := g.level.gradTile(g.ci - i)
		fillPanel(p.x, src[i*Lanes+half:], rows, w, g.ci*Lanes)
		size := w * gradWidth * g.level.gradVector()
		for o := 0; o < g.co; o += gradWidth {
			d := &p.d[o/gradWidth*dPanel]
			for t, pairs := range p.pairs[w] {
				if n := blocks * p.perBlock[t]; n > 0 {
					g.level.convGrad(w, &sums[t*size], &p.x[0], d, &pairs[0].x, n)
				}
			}
			sums = sums[g.lattice.Taps*size:]
		}
		i += w
	}
}

// convGrad calls the kernel for tiles of w input channels.
func (l Level) convGrad(w int, sums, x, d *float32, pairs *int64, n int) {
	if l == AVX512 {
		switch w {
		case 4:
			convGradAVX512T4x4(sums, x, d, pairs, n)
		case 3:
			convGradAVX512T3x4(sums, x, d, pairs, n)
		case 2:
			convGradAVX512T2x4(sums, x, d, pairs, n)
		default:
			convGradAVX512T1x4(sums, x, d, pairs, n)
		}
		return
	}
	switch w {
	case 3:
		convGradAVX2T3x4(sums, x, d, pairs, n)
	case 2:
		convGradAVX2T2x4(sums, x, d, pairs, n)
	default:
		convGradAVX2T1x4(sums, x, d, pairs, n)
	}
}

// fillPanel copies width channels of rows squares, which lie stride apart.
func fillPanel(panel, src []float32, rows, width, stride int) {
	for r := range rows {
		from := src[r*stride:]
		to := panel[r*width*panelLanes:][:width*panelLanes]
		for i := range width {
			*(*[panelLanes]float32)(to[i*panelLanes:]) = *(*[panelLanes]float32)(from[i*Lanes:])
		}
	}
}

func (g *ConvGrad) sumInto(dw []float32) {
	if g.level == Generic {
		g.sumIntoGeneric(dw)
		return
	}
	lanes := g.level.gradVector()
	sums := g.sums
	for i := 0; i < g.ci; {
		w := g.level.gradTile(g.ci - i)
		for o := 0; o < g.co; o += gradWidth {
			for t := range g.lattice.Taps {
				for a := range w {
					for b := range gradWidth {
						var lane [Lanes]float32
						copy(lane[:], sums[:lanes])
						dw[(t*g.ci+i+a)*g.co+o+b] += addUp(&lane)
						sums = sums[lanes:]
					}
				}
			}
		}
		i += w
	}
}
