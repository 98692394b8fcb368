package mcts

import "math"

// seed is a legal move that has no edge yet.
type seed struct {
	prior uint16 // see packPrior; grownSeed if it became an edge
	value uint16 // of the evaluator, see packValue
}

// grownSeed is the prior of a seed that became an edge.
const grownSeed = math.MaxUint16

// noValue is the value of a seed to which the evaluator gave none.
const noValue = math.MaxUint16

// packPrior returns p, in [0,1], in 16 bits: a float32 rounded to nine bits of mantissa, without
// the high bits that are the same for all such numbers. A greater prior has a greater code.
func packPrior(p float32) uint16 { return uint16((math.Float32bits(p) + 1<<13) >> 14) }

func unpackPrior(p uint16) float32 { return math.Float32frombits(uint32(p) << 14) }

// packValue returns a value in [0,1], or unknown, in 16 bits.
func packValue(v float32) uint16 {
	if v == unknown {
		return noValue
	}
	return uint16(v*(math.MaxUint16-1) + 0.5)
}

func unpackValue(v uint16) float32 {
	if v == noValue {
		return unknown
	}
	return float32(v) / (math.MaxUint16 - 1)
}

// newEdge returns an edge for move i, which was never tried.
func newEdge(x seed, i int) edge {
	return edge{value: unpackValue(x.value), packed: x.prior, move: uint16(i)}
}

// seedsOf returns the seeds of an evaluated node that is not the root.
func (t *tree) seedsOf(id int32) []seed {
	at := t.nodes[id].seeds
	return t.seeds[at : at+int32(t.nodes[id].count)]
}

// chooseNext sets the seed of node id to try next: the one with the greatest prior, of equals the
// first move. There may be none.
func (t *tree) chooseNext(id int32) {
	t.nodes[id].next.prior = grownSeed
	if i := t.bestSeed(id); i >= 0 {
		t.nodes[id].next = t.seedsOf(id)[i]
	}
}

// bestSeed returns the index of the seed to try next, -1 if there is none.
func (t *tree) bestSeed(id int32) int {
	seeds := t.seedsOf(id)
	// Find the maximum without branches. The high half is the prior, or 0 for a seed that became
	// an edge. The low half is greater for earlier moves.
	best := uint32(0)
	for i := range seeds {
		best = max(best, uint32(seeds[i].prior+1)<<16|uint32(mostMoves-i))
	}
	if best>>16 == 0 {
		return -1
	}
	return mostMoves - int(best&math.MaxUint16)
}

// pushSeed appends to node id an edge of its seed of move i. If that was the seed to try next,
// there is none until chooseNext.
func (t *tree) pushSeed(id int32, i int) {
	n, x := &t.nodes[id], &t.seedsOf(id)[i]
	t.push(n, newEdge(*x, i))
	x.prior = grownSeed
}
