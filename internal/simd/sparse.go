package simd

import "math"

// SparseLanes is the unit of which the width of a SparseNet must be a multiple.
const SparseLanes = 64

// The units of a SparseNet.
const (
	SparseOne     = 256  // in the rows and biases: an activation of 1
	SparseSquare  = 1024 // in an activation's square: 1
	sparseShift   = 6    // from SparseOne squared to SparseSquare
	sparseHighest = SparseOne - 1
)

// SparseNet is a network of one hidden layer in integers of 16 bits whose inputs are mostly zero
// and otherwise one, as a draughts board's are: the hidden layer is a sum of a few rows of
// weights. With x the sum and w the weights of an output,
//
//	x = bias + sum over inputs i of rows[i]
//	y = w . (min(max(x, 0), 255)^2 >> 6)
//
// It gives the same integers at every level. It does not change once made, so several goroutines
// may have [SparseSums] of it.
type SparseNet struct {
	level   Level
	width   int
	inputs  int
	block   int // lanes that a kernel keeps in registers
	bias    []int16
	rows    []int16  // [inputs][width]
	packed  []uint64 // the same for the pure Go code, four to a word and each moved up by offset
	start   []uint64 // bias, in the same way
	offset  int
	weights []int16 // [outputs][width]
}

// MostSparse returns the greatest magnitude of entries of rows and biases if at most the given
// number of inputs are one at a time: sums then fit in signed 16 bits.
func MostSparse(inputs int) int { return math.MaxInt16 / (inputs + 1) }

// MostOutput is the greatest sum of the magnitudes of an output's weights.
const MostOutput = 1 << 21

// NewSparseNet returns a network with copies of rows [inputs][width], bias [width] and weights
// [outputs][width]. At most `most` inputs are one at a time. Entries of rows and bias must be
// within ±MostSparse(most), and the magnitudes of an output's weights may add up to at most
// MostOutput.
func NewSparseNet(level Level, width, most int, rows, bias, weights []int16) *SparseNet {
	level.mustRun()
	if width < SparseLanes || width%SparseLanes != 0 || len(bias) != width || len(rows)%width != 0 || len(weights)%width != 0 {
		panic(badLength)
	}
	bound := MostSparse(most)
	for _, all := range [][]int16{rows, bias} {
		for _, x := range all {
			if int(x) > bound || int(x) < -bound {
				panic("simd: a weight is so large that sums could overflow")
			}
		}
	}
	for o := 0; o < len(weights); o += width {
		sum := 0
		for _, w := range weights[o : o+width] {
			sum += max(int(w), -int(w))
		}
		if sum > MostOutput {
			panic("simd: output weights are so large that sums could overflow")
		}
	}
	n := &SparseNet{level: level, width: width, inputs: len(rows) / width, block: sparseBlock(level, width), offset: bound,
		rows: append([]int16(nil), rows...), bias: append([]int16(nil), bias...), weights: append([]int16(nil), weights...)}
	if level == Generic {
		n.packed, n.start = pack4(n.rows, bound), pack4(n.bias, bound)
		n.rows, n.bias = nil, nil
	}
	return n
}

// SparseSums is the hidden layer of a SparseNet, before clipping, for a set of inputs that are
// one. If few inputs have changed since the last output, the next one is fast. Only one goroutine
// may use it.
type SparseSums struct {
	net   *SparseNet
	lanes []int16  // [width]
	words []uint64 // the same for the pure Go code, as SparseNet.packed
	count int      // of inputs that are one
}

// Sums returns the sums for no input.
func (n *SparseNet) Sums() *SparseSums {
	s := &SparseSums{net: n, lanes: make([]int16, len(n.bias)), words: make([]uint64, len(n.start))}
	s.Clear()
	return s
}

// Clear makes all inputs zero.
func (s *SparseSums) Clear() {
	copy(s.lanes, s.net.bias)
	copy(s.words, s.net.start)
	s.count = 0
}

// Output sets the inputs in removed, which were one, to zero, then those in added, which were
// zero, to one, and returns output o. No input may be given twice.
func (s *SparseSums) Output(removed, added []uint16, o int) int32 {
	s.count += len(added) - len(removed)
	weights := s.net.outputWeights(o)
	if s.net.level == Generic {
		return s.outputGeneric(removed, added, weights, s.count, true)
	}
	return s.output(removed, added, weights)
}

// Change sets inputs to zero and to one as [SparseSums.Output] does.
func (s *SparseSums) Change(removed, added []uint16) { s.Output(removed, added, 0) }

// Peek returns output o as [SparseSums.Output] would, without changing the sums.
func (s *SparseSums) Peek(removed, added []uint16, o int) int32 {
	weights := s.net.outputWeights(o)
	if s.net.level == Generic {
		return s.outputGeneric(removed, added, weights, s.count+len(added)-len(removed), false)
	}
	return s.peek(removed, added, weights)
}

// Swaps sets each element of dst to output o after one input that is one is set to zero and one
// that is zero is set to one. swaps holds these pairs one after another. The sums do not change.
func (s *SparseSums) Swaps(dst []int32, swaps []uint16, o int) {
	if len(swaps) != 2*len(dst) {
		panic(badLength)
	}
	if len(dst) == 0 {
		return
	}
	weights := s.net.outputWeights(o)
	if s.net.level == Generic {
		for i := range dst {
			dst[i] = s.outputGeneric(swaps[2*i:2*i+1], swaps[2*i+1:2*i+2], weights, s.count, false)
		}
		return
	}
	clear(dst)
	s.swaps(dst, swaps, weights)
}

// outputWeights returns the weights of output o.
func (n *SparseNet) outputWeights(o int) []int16 { return n.weights[o*n.width : (o+1)*n.width] }

// pack4 packs four numbers into each word, with offset added so that none is negative.
func pack4(x []int16, offset int) []uint64 {
	words := make([]uint64, len(x)/4)
	for i, v := range x {
		words[i/4] |= uint64(int(v)+offset) << (i % 4 * 16)
	}
	return words
}

// outputGeneric updates four sums at a time. Each holds offset once for every row added, so it is
// not negative and never exceeds 65535. Registers hold eight words. count is the number of inputs
// that are one after the change; keep says whether the sums stay changed.
func (s *SparseSums) outputGeneric(removed, added []uint16, weights []int16, count int, keep bool) int32 {
	const words = 8
	n := s.net
	up := (count + 1) * n.offset
	stride := n.width / 4
	var sum int32
	for at := 0; at < stride; at += words {
		sums := (*[words]uint64)(s.words[at:])
		a, b, c, d := sums[0], sums[1], sums[2], sums[3]
		e, f, g, h := sums[4], sums[5], sums[6], sums[7]
		for _, i := range removed {
			row := (*[words]uint64)(n.packed[int(i)*stride+at:])
			a, b, c, d = a-row[0], b-row[1], c-row[2], d-row[3]
			e, f, g, h = e-row[4], f-row[5], g-row[6], h-row[7]
		}
		for _, i := range added {
			row := (*[words]uint64)(n.packed[int(i)*stride+at:])
			a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
			e, f, g, h = e+row[4], f+row[5], g+row[6], h+row[7]
		}
		changed := [words]uint64{a, b, c, d, e, f, g, h}
		if keep {
			*sums = changed
		}
		w := (*[4 * words]int16)(weights[at*4:])
		for j, four := range &changed {
			sum += square(int(four&0xffff)-up)*int32(w[4*j]) + square(int(four>>16&0xffff)-up)*int32(w[4*j+1]) +
				square(int(four>>32&0xffff)-up)*int32(w[4*j+2]) + square(int(four>>48)-up)*int32(w[4*j+3])
		}
	}
	return sum
}

// square is the activation of a sum.
func square(x int) int32 {
	x = min(max(x, 0), sparseHighest)
	return int32(x * x >> sparseShift)
}
