package simd

// Conv is one lattice convolution prepared for a level: tables of taps and
// packed weights. Pack or PackTransposed sets the weights; after that any
// number of goroutines may call Forward, as long as none packs.
type Conv struct {
	level   Level
	lattice *Lattice
	ci, co  int

	taps  []convTap // of all squares, one after the other
	first []int     // [Squares+1]: taps[first[s]:first[s+1]] are those of square s

	// The output channels are cut into tiles of a few channels, each the work
	// of one kernel call. Packed weights lie as [tile][tap][ci][tile.width].
	tiles   []convTile
	weights []float32
	zero    []float32 // [co] the bias, if there is none
}

// convTap is a tap of one square that stays on the board. The assembly reads
// it: two 64-bit words.
type convTap struct {
	src    int64 // bytes from the block's start to the neighbour's first channel
	weight int64 // bytes from a tile's weights to the tap's, per channel of width
}

// convTile is a group of output channels that a kernel computes at once.
type convTile struct {
	co     int // the first channel
	width  int // how many
	weight int // index in Conv.weights
}

// NewConv returns a convolution over l from ci to co channels, with weights
// zero. ci is at least 1, co a positive multiple of 8.
func NewConv(level Level, l *Lattice, ci, co int) *Conv {
	level.mustRun()
	checkChannels(ci, co)
	c := &Conv{
		level: level, lattice: l, ci: ci, co: co,
		weights: make([]float32, l.Taps*ci*co),
		zero:    make([]float32, co),
		first:   []int{0},
	}
	for _, row := range l.Neighbour {
		for t, n := range row {
			if n >= 0 {
				c.taps = append(c.taps, convTap{int64(n * ci * Lanes * 4), int64(t * ci * 4)})
			}
		}
		c.first = append(c.first, len(c.taps))
	}
	for o := 0; o < co; {
		w := convWidth(level, co-o)
		c.tiles = append(c.tiles, convTile{o, w, l.Taps * ci * o})
		o += w
	}
	return c
}

// checkChannels panics unless ci is positive and co a positive multiple of 8.
func checkChannels(ci, co int) {
	if ci < 1 {
		panic("simd: no input channel")
	}
	if co < 8 || co%8 != 0 {
		panic("simd: output channels not a multiple of 8")
	}
}

// Pack sets the weights from their raw form w, [tap][ci][co].
func (c *Conv) Pack(w []float32) {
	if len(w) != len(c.weights) {
		panic(badLength)
	}
	for _, t := range c.tiles {
		p := c.weights[t.weight:]
		for i := range c.lattice.Taps * c.ci {
			copy(p[i*t.width:(i+1)*t.width], w[i*c.co+t.co:])
		}
	}
}

// PackTransposed makes c the backward pass of another convolution, from the
// gradient of its output to the gradient of its input. c is made with the
// channels exchanged,
//
//	forward := NewConv(level, l, ci, co)
//	backward := NewConv(level, l, co, ci)
//
// and w are the raw weights of the forward convolution, [tap][ci][co].
func (c *Conv) PackTransposed(w []float32) {
	if len(w) != len(c.weights) {
		panic(badLength)
	}
	// What reaches a square along a tap left the neighbour along its opposite.
	for _, t := range c.tiles {
		p := c.weights[t.weight:]
		for tap := range c.lattice.Taps {
			forward := w[c.lattice.Opposite[tap]*c.ci*c.co:]
			for i := range c.ci {
				for o := range t.width {
					p[(tap*c.ci+i)*t.width+o] = forward[(t.co+o)*c.ci+i]
				}
			}
		}
	}
}

// Forward computes one block of boards,
//
//	dst[s][o] = bias[o] + residual[s][o] + sum over taps t, inputs i of
//	            src[Neighbour[s][t]][i] * w[t][i][o]
//
// and, if relu, puts 0 for what is negative. dst is [square][co][Lanes], src
// [square][ci][Lanes]. bias is [co] or nil. residual is nil or like dst, and
// may be dst itself; otherwise dst overlaps no other argument. Forward does not
// allocate.
func (c *Conv) Forward(dst, src, bias, residual []float32, relu bool) {
	squares := c.lattice.Squares
	if len(dst) != squares*c.co*Lanes || len(src) != squares*c.ci*Lanes {
		panic(badLength)
	}
	if bias == nil {
		bias = c.zero
	}
	if len(bias) != c.co || residual != nil && len(residual) != len(dst) {
		panic(badLength)
	}
	c.forward(dst, src, bias, residual, relu)
}

const badLength = "simd: slice of wrong length"
