//go:build !purego

package simd

const (
	gradWidth  = 4         // output channels in a panel
	panelLanes = Lanes / 2 // boards in a panel
	panelRows  = 64        // squares in a panel, at most, unless a block has more
)

// gradPanels is the scratch memory and the tables of the assembly.
//
// A channel of neighbouring squares lies kilobytes apart, at distances that map
// to the same few sets of the cache. So channels are first copied to panels,
//
//	[square][width][panelLanes]
//
// of a few channels, half a row of boards and all squares, or the squares of
// several blocks if the lattice is small. One panel of inputs and one of
// outputs fit into the first-level cache together; all taps are summed while
// they are there.
type gradPanels struct {
	inputs  []gradTiles // the input channels, cut into panels
	outputs gradTiles   // the output channels

	blocks int       // blocks in a panel, at most
	x, d   []float32 // the panels of all input and all output channels

	// pairs is [input width][tap][stride]: which panel rows to multiply. The
	// first blocks*perBlock[tap] of them, which are the first counts[tap],
	// belong to the first blocks of a panel.
	pairs    [][]gradPair
	stride   int
	perBlock []int
	counts   []int64
}

// gradTiles is a run of count tiles of width channels, from channel first on.
type gradTiles struct{ first, width, count int }

// gradPair is one square and its neighbour along a tap. The assembly reads it:
// two 64-bit words.
type gradPair struct {
	x, d int64 // bytes from the start of the two panels
}

// gradVector returns the lanes of the level's vectors.
func (l Level) gradVector() int {
	if l == AVX512 {
		return 16
	}
	return 8
}

// gradInputs cuts ci input channels into tiles. AVX2 has 16 registers: 3 x 4
// sums, 3 inputs and 1 output. Tiles of one channel are slow, so two of two
// come before three and one.
func (l Level) gradInputs(ci int) []gradTiles {
	most := 3
	if l == AVX512 {
		most = 4
	}
	var tiles []gradTiles
	first := 0
	add := func(width, count int) {
		if count > 0 {
			tiles = append(tiles, gradTiles{first, width, count})
			first += width * count
		}
	}
	full := ci / most
	if ci%most == 1 && full > 0 {
		full--
	}
	add(most, full)
	switch rest := ci - first; {
	case rest == most+1 && most == 4:
		add(3, 1)
		add(2, 1)
	case rest == most+1:
		add(2, 2)
	case rest > 0:
		add(rest, 1)
	}
	return tiles
}

// initPanels makes the tables. sums is then [input tile][output tile][tap]
// [input channel][output channel][lane of a vector].
func (g *ConvGrad) initPanels() {
	l := g.lattice
	g.sums = make([]float32, l.Taps*g.ci*g.co*g.level.gradVector())
	p := &gradPanels{
		inputs:   g.level.gradInputs(g.ci),
		outputs:  gradTiles{0, gradWidth, g.co / gradWidth},
		blocks:   max(1, panelRows/l.Squares),
		perBlock: make([]int, l.Taps),
		counts:   make([]int64, l.Taps),
	}
	rows := p.blocks * l.Squares
	p.x = make([]float32, rows*g.ci*panelLanes)
	p.d = make([]float32, rows*g.co*panelLanes)
	for _, row := range l.Neighbour {
		for t, n := range row {
			if n >= 0 {
				p.perBlock[t]++
			}
		}
	}
	p.stride = rows
	p.pairs = make([][]gradPair, p.inputs[0].width+1)
	for _, in := range p.inputs {
		pairs := make([]gradPair, l.Taps*p.stride)
		for t := range l.Taps {
			at := t * p.stride
			for b := range p.blocks {
				for s, row := range l.Neighbour {
					if n := row[t]; n >= 0 {
						pairs[at] = gradPair{
							x: int64((b*l.Squares + n) * in.width * panelLanes * 4),
							d: int64((b*l.Squares + s) * gradWidth * panelLanes * 4),
						}
						at++
					}
				}
			}
		}
		p.pairs[in.width] = pairs
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
			g.addPanels(src[b*x+half:], dout[b*d+half:], n)
		}
	}
}

// addPanels adds blocks blocks, at most a panel's, for half a row of boards.
func (g *ConvGrad) addPanels(src, dout []float32, blocks int) {
	p := g.panels
	rows := blocks * g.lattice.Squares
	for t, n := range p.perBlock {
		p.counts[t] = int64(blocks * n)
	}
	g.level.fillPanels(p.d, dout, p.outputs, rows, g.co)
	for _, in := range p.inputs {
		g.level.fillPanels(p.x, src, in, rows, g.ci)
	}
	sums := g.sums
	for _, in := range p.inputs {
		size := g.lattice.Taps * in.width * gradWidth * g.level.gradVector()
		pairs := &p.pairs[in.width][0].x
		for i := range in.count {
			x := &p.x[rows*(in.first+i*in.width)*panelLanes]
			for o := range p.outputs.count {
				d := &p.d[rows*o*gradWidth*panelLanes]
				g.level.convGrad(in.width, &sums[0], x, d, pairs, &p.counts[0], g.lattice.Taps, p.stride*16)
				sums = sums[size:]
			}
		}
	}
}

// fillPanels copies half a row of boards of rows squares, each with channels
// channels, to the panels of tiles; a panel begins at rows*panelLanes times its
// first channel. Whole squares are read in order, which keeps the prefetchers
// busy.
func (l Level) fillPanels(panels, src []float32, tiles gradTiles, rows, channels int) {
	size := tiles.width * panelLanes
	panels = panels[rows*tiles.first*panelLanes:][:rows*tiles.count*size]
	for r := range rows {
		to, from := &panels[r*size], &src[(r*channels+tiles.first)*Lanes]
		if l == AVX512 {
			gradPanelAVX512(to, from, tiles.count, tiles.width, rows*size*4)
		} else {
			gradPanelAVX2(to, from, tiles.count, tiles.width, rows*size*4)
		}
	}
}

// convGrad calls the kernel for tiles of width input channels.
func (l Level) convGrad(width int, sums, x, d *float32, pairs, counts *int64, taps, stride int) {
	if l == AVX512 {
		switch width {
		case 4:
			convGradAVX512T4x4(sums, x, d, pairs, counts, taps, stride)
		case 3:
			convGradAVX512T3x4(sums, x, d, pairs, counts, taps, stride)
		case 2:
			convGradAVX512T2x4(sums, x, d, pairs, counts, taps, stride)
		default:
			convGradAVX512T1x4(sums, x, d, pairs, counts, taps, stride)
		}
		return
	}
	switch width {
	case 3:
		convGradAVX2T3x4(sums, x, d, pairs, counts, taps, stride)
	case 2:
		convGradAVX2T2x4(sums, x, d, pairs, counts, taps, stride)
	default:
		convGradAVX2T1x4(sums, x, d, pairs, counts, taps, stride)
	}
}

func (g *ConvGrad) sumInto(dw []float32) {
	if g.level == Generic {
		g.sumIntoGeneric(dw)
		return
	}
	lanes := g.level.gradVector()
	sums := g.sums
	for _, in := range g.panels.inputs {
		for tile := range in.count {
			i := in.first + tile*in.width
			for o := 0; o < g.co; o += gradWidth {
				for t := range g.lattice.Taps {
					for a := range in.width {
						to := dw[(t*g.ci+i+a)*g.co+o:][:gradWidth]
						for b := range to {
							to[b] += addUpVector(sums[:lanes])
							sums = sums[lanes:]
						}
					}
				}
			}
		}
	}
}

// addUpVector returns the sum of the 8 or 16 lanes of v, in pairs.
func addUpVector(v []float32) float32 {
	if len(v) == 16 {
		return addUpVector(v[:8]) + addUpVector(v[8:])
	}
	v = v[:8]
	return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
}
