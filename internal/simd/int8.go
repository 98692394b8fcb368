package simd

import (
	"math"
	"unsafe"
)

// Int8Step is what the channels of an Int8Conv are a multiple of.
const Int8Step = 16

// Int8Most is the largest activation, and the largest weight, of an Int8Conv.
const Int8Most = 127

// int8LaneMost bounds what the weights that meet in a 16-bit lane may add up to, the positive and the negative ones each:
// times Int8Most it is no more than a lane holds.
const int8LaneMost = math.MaxInt16 / Int8Most

// Int8Conv is a lattice convolution of one board in integers of 8 bits, prepared for a level. Activations are in
// [0, Int8Most] and lie as [square][channel]uint8, weights are in [-Int8Most, Int8Most]; sums have 32 bits. Output
// channels are the SIMD lanes, so that a board costs the same alone as among others.
//
// Nothing saturates or overflows on the way, so all levels give the same integers. For that AVX2, which adds eight
// products in 16 bits, needs weights that fit: of the 16 input channels of a step,
//
//	0 1 4 5 8 9 12 13   and   2 3 6 7 10 11 14 15
//
// meet in a lane each, and the positive weights of a lane may add up to 258, as may the negative ones. Int8Weights makes
// such weights.
//
// Pack sets the weights; after that any number of goroutines may call Forward and ForwardFloat, as long as none packs.
type Int8Conv struct {
	level   Level
	lattice *Lattice
	ci, co  int

	// Squares are computed in groups, and a tile of output channels for all squares before the next tile, as by
	// BoardConv. Packed weights lie as [tile][tap][ci/4][tile.width][4]: the four of a quad of input channels side by
	// side. They begin at a cache line.
	//
	// The table has the groups one after the other: where the outputs of their squares begin, how many taps they
	// have, and for each tap its weights, in bytes for each channel of a tile, and where the inputs begin.
	groups  int
	table   []int64
	tiles   []convTile
	weights []int8
}

// NewInt8Conv returns a convolution over l from ci to co channels, positive multiples of Int8Step, with weights zero.
func NewInt8Conv(level Level, l *Lattice, ci, co int) *Int8Conv {
	level.mustRun()
	if ci < 1 || co < 1 || ci%Int8Step != 0 || co%Int8Step != 0 {
		panic("simd: channels not a multiple of 16")
	}
	c := &Int8Conv{level: level, lattice: l, ci: ci, co: co, weights: alignedInt8(l.Taps * ci * co)}
	size, lanes, most := int8Shape(level, l.Squares)
	c.tiles = int8Tiles(lanes, most, l.Taps, ci, co)
	groups, tables := groupSquares(l, size, ci, co, 1)
	for _, g := range groups {
		c.table = append(c.table, tables[g.squares:][:size]...)
		c.table = append(c.table, int64(g.count))
		c.table = append(c.table, tables[g.taps:][:g.count*(size+1)]...)
	}
	c.groups = len(groups)
	return c
}

// int8Tiles cuts co output channels into tiles of at most so many vectors.
func int8Tiles(lanes, most, taps, ci, co int) (tiles []convTile) {
	for rest := co / lanes; rest > 0; {
		v := int8Vectors(rest, most, taps*ci*lanes)
		at := co - rest*lanes
		tiles = append(tiles, convTile{at, v * lanes, taps * ci * at})
		rest -= v
	}
	return tiles
}

// int8Vectors returns how many of rest vectors of output channels the next tile takes, at most most. A tile whose
// weights stay in the first-level cache is worth more than a wide one; bytes is what those of one vector need. On
// AVX2, where all numbers of vectors are even, so is that of a tile.
func int8Vectors(rest, most, bytes int) int {
	const cache = 24 << 10
	for most > 2 && most*bytes > cache {
		most -= 2
	}
	if rest > most && rest < 2*most {
		return (rest/2 + 1) &^ 1
	}
	return min(rest, most)
}

// alignedInt8 returns n zeros that begin at a multiple of 64 bytes.
func alignedInt8(n int) []int8 {
	const line = 64
	s := make([]int8, n+line)
	at := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s))) % line)
	return s[at : at+n : at+n]
}

// Int8Weights returns weights w, [tap][ci][co], as integers for Pack and what they are to be multiplied with:
//
//	w[t][i][o] is about scale[o] * q[t][i][o]
//
// The scale of an output channel is as small as its largest weight and the lanes of an Int8Conv allow, and at least
// least[o].
func Int8Weights(w []float32, taps, ci, co int, least []float32) (q []int8, scale []float32) {
	if len(w) != taps*ci*co || len(least) != co {
		panic(badLength)
	}
	q, scale = make([]int8, len(w)), make([]float32, co)
	for o := range co {
		largest := float32(0)
		for i := o; i < len(w); i += co {
			largest = max(largest, float32(math.Abs(float64(w[i]))))
		}
		s := max(largest/Int8Most, least[o], math.SmallestNonzeroFloat32*(1<<24))
		for {
			for i := o; i < len(w); i += co {
				q[i] = int8(math.RoundToEven(float64(w[i]) / float64(s)))
			}
			lane := int8Lane(q, taps, ci, co, o)
			if lane <= int8LaneMost {
				break
			}
			s *= max(float32(lane)/int8LaneMost, 1.002)
		}
		scale[o] = s
	}
	return q, scale
}

// int8Lane returns the largest sum of the positive or of the negative weights of output channel o that meet in a lane.
func int8Lane(q []int8, taps, ci, co, o int) int {
	most := 0
	for first := 0; first < taps*ci; first += Int8Step {
		for lane := 0; lane < 4; lane += 2 {
			positive, negative := 0, 0
			for i := range min(Int8Step, taps*ci-first) {
				if i&2 != lane {
					continue
				}
				if x := int(q[(first+i)*co+o]); x > 0 {
					positive += x
				} else {
					negative -= x
				}
			}
			most = max(most, positive, negative)
		}
	}
	return most
}

// Pack sets the weights from their raw form w, [tap][ci][co], which must fit the lanes.
func (c *Int8Conv) Pack(w []int8) {
	if len(w) != len(c.weights) {
		panic(badLength)
	}
	for o := range c.co {
		if int8Lane(w, c.lattice.Taps, c.ci, c.co, o) > int8LaneMost {
			panic("simd: weights that overflow a lane")
		}
	}
	for _, t := range c.tiles {
		p := c.weights[t.weight:]
		for i := range c.lattice.Taps * c.ci {
			for o := range t.width {
				x := w[i*c.co+t.co+o]
				if x < -Int8Most {
					panic("simd: weight out of range")
				}
				p[(i/4*t.width+o)*4+i%4] = x
			}
		}
	}
}

// Forward computes one board: with
//
//	sum[s][o] = bias[o] + sum over taps t, inputs i of src[Neighbour[s][t]][i] * w[t][i][o]
//
// dst[s][o] is sum[s][o]*scale[o] + residual[s][o]*ratio, rounded to the nearest integer, the even one of two, and
// brought into [0, Int8Most]. dst is [square][co], src [square][ci]. bias is [co] or, with one for each square,
// [square][co], and scale is [co]. residual is nil or like dst, and may be dst itself; otherwise dst overlaps no other
// argument. Forward does not allocate.
func (c *Int8Conv) Forward(dst, src []uint8, bias []int32, scale []float32, residual []uint8, ratio float32) {
	if len(dst) != c.lattice.Squares*c.co || residual != nil && len(residual) != len(dst) {
		panic(badLength)
	}
	c.check(src, bias, scale)
	c.forward(dst, nil, src, bias, scale, residual, ratio)
}

// ForwardFloat is Forward without rounding: dst[s][o] = sum[s][o]*scale[o].
func (c *Int8Conv) ForwardFloat(dst []float32, src []uint8, bias []int32, scale []float32) {
	if len(dst) != c.lattice.Squares*c.co {
		panic(badLength)
	}
	c.check(src, bias, scale)
	c.forward(nil, dst, src, bias, scale, nil, 0)
}

func (c *Int8Conv) check(src []uint8, bias []int32, scale []float32) {
	if len(src) != c.lattice.Squares*c.ci || len(bias) != c.co && len(bias) != c.lattice.Squares*c.co || len(scale) != c.co {
		panic(badLength)
	}
}

// forwardGeneric is Forward and, with dst nil, ForwardFloat in plain Go.
func (c *Int8Conv) forwardGeneric(dst []uint8, floats []float32, src []uint8, bias []int32, scale []float32, residual []uint8, ratio float32) {
	for _, t := range c.tiles {
		table := c.table // groups of one square: at, number of taps, and two words for each
		for range c.groups {
			at, taps := int(table[0]), table[2:][:2*table[1]]
			table = table[2+len(taps):]
			b := bias
			if len(bias) > c.co {
				b = bias[at:]
			}
			for o := t.co; o < t.co+t.width; o += 4 {
				var sum [4]int32
				copy(sum[:], b[o:])
				for k := 0; k < len(taps); k += 2 {
					w := c.weights[t.weight+int(taps[k])*t.width+4*(o-t.co):]
					x := src[taps[k+1]:][:c.ci]
					for ; len(x) >= 4; x = x[4:] {
						x0, x1, x2, x3 := int32(x[0]), int32(x[1]), int32(x[2]), int32(x[3])
						v := w[:16]
						sum[0] += x0*int32(v[0]) + x1*int32(v[1]) + x2*int32(v[2]) + x3*int32(v[3])
						sum[1] += x0*int32(v[4]) + x1*int32(v[5]) + x2*int32(v[6]) + x3*int32(v[7])
						sum[2] += x0*int32(v[8]) + x1*int32(v[9]) + x2*int32(v[10]) + x3*int32(v[11])
						sum[3] += x0*int32(v[12]) + x1*int32(v[13]) + x2*int32(v[14]) + x3*int32(v[15])
						w = w[min(4*t.width, len(w)):]
					}
				}
				for i, n := range sum {
					y := float32(n) * scale[o+i]
					if floats != nil {
						floats[at+o+i] = y
						continue
					}
					if residual != nil {
						y = float32(y) + float32(float32(residual[at+o+i])*ratio) // not fused: the same on all machines
					}
					dst[at+o+i] = uint8(max(0, math.RoundToEven(float64(min(y, Int8Most)))))
				}
			}
		}
	}
}

// Int8Sum sums over the squares of a board:
//
//	dst[c] = sum over s of src[s][c]
//
// dst is [channel], a multiple of Int8Step, src [squares][channel] with values up to Int8Most, and there are 1 to 516
// squares.
func Int8Sum(level Level, dst []int32, src []uint8, squares int) {
	checkSquares(len(src), len(dst), squares)
	if len(dst)%Int8Step != 0 || squares > math.MaxUint16/Int8Most {
		panic(badLength)
	}
	int8Sum(level, dst, src, squares)
}

// int8SumGeneric is Int8Sum in plain Go.
func int8SumGeneric(dst []int32, src []uint8, squares int) {
	clear(dst)
	for s := range squares {
		for c, x := range src[s*len(dst):][:len(dst)] {
			dst[c] += int32(x)
		}
	}
}

// Int8PeakLoop is PeakLoop for the products of bytes: it returns how many operations, multiplications and additions,
// it did. Int8Conv's own loop adds the products of a step in 16 bits; with single it is the usual one, which adds the
// products of each quad in 32 bits.
func Int8PeakLoop(level Level, n int, single bool) int {
	level.mustRun()
	if n < 1 {
		return 0
	}
	return int8PeakLoop(level, n, single)
}

// int8PeakGeneric is Int8PeakLoop in plain Go, with 4 sums.
func int8PeakGeneric(n int) int {
	var a, b, c, d int32
	x, y := int32(n&1), int32(n&2)
	for range n {
		a += x * y
		b += x * y
		c += x * y
		d += x * y
		x ^= 3
	}
	if a+b+c+d == math.MinInt32 { // the loop must not be dropped
		return 0
	}
	return 4 * 2 * n
}
