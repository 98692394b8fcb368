package simd

// BoardConv is a lattice convolution of one board, prepared for a level. It
// computes what Conv computes for a board of a block, to the bit, at the cost
// of one board. Pack sets the weights; after that any number of goroutines may
// call Forward, as long as none packs.
type BoardConv struct {
	level   Level
	lattice *Lattice
	ci, co  int

	// The assembly computes a few squares at once that have the same taps on
	// the board, and a tile of output channels for all squares before the next
	// tile: its weights stay in the first-level cache. Packed weights lie as
	// [tile][tap][ci][tile.width].
	groups  []boardGroup
	tables  []int64 // what the groups point to
	tiles   []convTile
	weights []float32
	zero    []float32 // [co] the bias, if there is none
}

// boardGroup is a group of squares with the same taps. A square that fills a
// group up stands there again.
type boardGroup struct {
	squares int // index in tables: [group size] bytes to the square's first output channel
	taps    int // index in tables: for each tap its weights, as convTap.weight, and
	//             [group size] bytes to the neighbour's first input channel
	count int // of taps
}

// boardSquares is the number of squares in a group; it is 1 where the lattice
// has fewer.
const boardSquares = 4

// NewBoardConv returns a convolution over l from ci to co channels, with
// weights zero. ci is at least 1, co a positive multiple of 8.
func NewBoardConv(level Level, l *Lattice, ci, co int) *BoardConv {
	level.mustRun()
	checkChannels(ci, co)
	c := &BoardConv{
		level: level, lattice: l, ci: ci, co: co,
		weights: make([]float32, l.Taps*ci*co),
		zero:    make([]float32, co),
	}
	c.groups, c.tables = groupSquares(l, c.groupSize(), ci, co, 4)
	for o := 0; o < co; {
		w := 8 * c.tileVectors((co-o)/8)
		c.tiles = append(c.tiles, convTile{o, w, l.Taps * ci * o})
		o += w
	}
	return c
}

// groupSize returns how many squares the kernels compute at once.
func (c *BoardConv) groupSize() int {
	if c.lattice.Squares < boardSquares {
		return 1
	}
	return boardSquares
}

// tileVectors returns how many of rest vectors of eight output channels the
// next tile takes. With 16 registers, four squares leave room for three vectors
// of weights; a single square needs many vectors to keep the multipliers busy.
func (c *BoardConv) tileVectors(rest int) int {
	if c.groupSize() == 1 {
		for v := 8; ; v /= 2 {
			if v <= rest {
				return v
			}
		}
	}
	if rest == 4 {
		return 2
	}
	return min(rest, 3)
}

// groupSquares sorts the squares of a lattice into groups of size; an element of source, weights and destination has
// that many bytes.
func groupSquares(l *Lattice, size, ci, co, bytes int) (groups []boardGroup, tables []int64) {
	var members [][]int
	open := map[string]int{} // by taps on the board: a group with room
	for s, row := range l.Neighbour {
		key := make([]byte, len(row))
		for t, n := range row {
			if n >= 0 {
				key[t] = 1
			}
		}
		g, ok := open[string(key)]
		if !ok || len(members[g]) == size {
			g = len(members)
			open[string(key)] = g
			members = append(members, nil)
		}
		members[g] = append(members[g], s)
	}
	for _, squares := range members {
		for len(squares) < size {
			squares = append(squares, squares[len(squares)-1])
		}
		g := boardGroup{squares: len(tables)}
		for _, s := range squares {
			tables = append(tables, int64(s*co*bytes))
		}
		g.taps = len(tables)
		for t, n := range l.Neighbour[squares[0]] {
			if n < 0 {
				continue
			}
			tables = append(tables, int64(t*ci*bytes))
			for _, s := range squares {
				tables = append(tables, int64(l.Neighbour[s][t]*ci*bytes))
			}
			g.count++
		}
		groups = append(groups, g)
	}
	return groups, tables
}

// Pack sets the weights from their raw form w, [tap][ci][co].
func (c *BoardConv) Pack(w []float32) {
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

// Forward computes one board,
//
//	dst[s][o] = bias[o] + residual[s][o] + sum over taps t, inputs i of
//	            src[Neighbour[s][t]][i] * w[t][i][o]
//
// and, if relu, puts 0 for what is negative. dst is [square][co], src
// [square][ci]. bias is [co] or nil. residual is nil or like dst, and may be
// dst itself; otherwise dst overlaps no other argument. Forward does not
// allocate.
func (c *BoardConv) Forward(dst, src, bias, residual []float32, relu bool) {
	squares := c.lattice.Squares
	if len(dst) != squares*c.co || len(src) != squares*c.ci {
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

// forwardGeneric is Forward in plain Go. Eight channels of a square are summed
// at once, each as Conv sums it.
func (c *BoardConv) forwardGeneric(dst, src, bias, residual []float32, relu bool) {
	size := c.groupSize()
	for _, t := range c.tiles {
		for _, g := range c.groups {
			for k := range size {
				square := int(c.tables[g.squares+k] / 4)
				if k > 0 && c.tables[g.squares+k] == c.tables[g.squares+k-1] {
					break
				}
				for o := 0; o < t.width; o += 4 {
					at := square + t.co + o
					b := bias[t.co+o:][:4]
					a0, a1, a2, a3 := b[0], b[1], b[2], b[3]
					taps := c.tables[g.taps:][:g.count*(size+1)]
					for ; len(taps) > 0; taps = taps[size+1:] {
						w := c.weights[t.weight+int(taps[0])/4*t.width:][:c.ci*t.width]
						for i, x := range src[taps[1+k]/4:][:c.ci] {
							v := w[i*t.width+o:][:4]
							a0 += x * v[0]
							a1 += x * v[1]
							a2 += x * v[2]
							a3 += x * v[3]
						}
					}
					if residual != nil {
						r := residual[at:][:4]
						a0 += r[0]
						a1 += r[1]
						a2 += r[2]
						a3 += r[3]
					}
					y := dst[at:][:4]
					y[0], y[1], y[2], y[3] = a0, a1, a2, a3
					if relu {
						for i, v := range y {
							if v < 0 {
								y[i] = 0
							}
						}
					}
				}
			}
		}
	}
}
