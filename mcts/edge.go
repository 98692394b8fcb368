package mcts

import (
	"math"
)

// edge is a legal move that was tried, or the one to try next.
type edge struct {
	value  float32 // of the child at its last backup through this edge, in [0,1] for the side to move in the parent; see unknown
	visits int32   // simulations through the edge, including those in flight
	link   uint32  // the child in the low nodeBits, 0 for none; above it simulations in flight through the edge (virtual visits)
	packed uint16  // prior, see packPrior; those of the root are in Search.priors, too, not rounded
	move   uint16  // index among the legal moves in canonical order, plus settledBit and offerBit
}

// Bits of an edge's move.
const (
	settledBit = 1 << 15 // the child is proved, and the node has counted it
	offerBit   = 1 << 14 // the move begins or continues a combination
	mostMoves  = offerBit - 1
)

func (e *edge) number() int   { return int(e.move & mostMoves) }
func (e *edge) settled() bool { return e.move&settledBit != 0 }

// prior returns the prior, in [0,1].
func (e *edge) prior() float32 { return unpackPrior(e.packed) }

// child returns the child, noNode if the edge was never tried. The root is nobody's child.
func (e *edge) child() int32 {
	if id := int32(e.link & (1<<nodeBits - 1)); id != rootID {
		return id
	}
	return noNode
}

func (e *edge) setChild(id int32) { e.link = e.link&^(1<<nodeBits-1) | uint32(id) }

// mostVirtual is the largest number of simulations in flight through one edge.
const mostVirtual = 1<<(32-nodeBits) - 1

func (e *edge) virtual() int32 { return int32(e.link >> nodeBits) }

func (e *edge) addVirtual(by int16) { e.link += uint32(int32(by)) << nodeBits }

// real returns the number of backed-up simulations through e.
func (e *edge) real() int32 { return e.visits - e.virtual() }

// newEdge returns an edge for move i, which was never tried.
func newEdge(x seed, i int) edge {
	return edge{value: unpackValue(x.value), packed: x.prior, move: uint16(i)}
}

// Values of an edge that are no scores: unknown before its first backup, if the evaluator gave no
// value; lost for a move that is proved to lose, which is never selected.
const unknown = float32(2)

var lost = float32(math.Inf(-1))

// score returns the value, in [0,1], of an edge that has been backed up.
func (e *edge) score() float32 { return max(e.value, 0) }

// seed is a legal move that has no edge yet.
type seed struct {
	prior uint16 // see packPrior; grownSeed if it became an edge
	value uint16 // of the evaluator, see packValue
}

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

// mostVisits returns the visits of the most visited edge that is not proved to lose, 0 if there is
// none.
func mostVisits(edges []edge) int32 {
	most := int32(0)
	for i := range edges {
		if edges[i].value != lost {
			most = max(most, edges[i].visits)
		}
	}
	return most
}
