package mcts

import (
	"math"
	"math/bits"
	"slices"
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

// Values of an edge that are no scores: unknown before its first backup, if the evaluator gave no
// value; lost for a move that is proved to lose, which is never selected.
const unknown = float32(2)

var lost = float32(math.Inf(-1))

// score returns the value, in [0,1], of an edge that has been backed up.
func (e *edge) score() float32 { return max(e.value, 0) }

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

// edgesOf returns the edges of n.
func (t *tree) edgesOf(n *node) []edge {
	if int(n.len) > len(n.few) {
		at := n.few[0].visits
		return t.edges[at : at+int32(n.len)]
	}
	return n.few[:n.len]
}

// edge returns the edge of a step.
func (t *tree) edge(at step) *edge { return &t.edgesOf(&t.nodes[at.node])[at.edge] }

// push appends an edge to n.
func (t *tree) push(n *node, e edge) {
	switch size, at := int32(n.len), n.few[0].visits; {
	case size < int32(len(n.few)):
		n.few[size] = e
	case size == int32(len(n.few)):
		t.edges[t.setEdges(n, n.few[:])+size] = e
	case size < leastPlaces || size&(size-1) != 0:
		t.edges[at+size] = e
	default:
		old := at
		t.edges[t.setEdges(n, t.edges[old:old+size])+size] = e
		class := bits.TrailingZeros32(uint32(size))
		t.edges[old].visits = t.free[class]
		t.free[class] = old
	}
	n.len++
}

// leastPlaces is the size of the first edge block of a node with more than one edge. The block
// doubles when it is full.
const leastPlaces = 2

// setEdges allocates a block for the edges of n and one more, copies the edges there, and returns
// its index.
func (t *tree) setEdges(n *node, edges []edge) int32 {
	class := bits.Len32(max(uint32(len(edges)), leastPlaces-1))
	places := int32(1) << class
	at := t.free[class]
	if at != 0 {
		t.free[class] = t.edges[at].visits
	} else {
		at = max(int32(len(t.edges)), leastPlaces) // index 0 means none
		end := int(at + places)
		t.edges = slices.Grow(t.edges, end-len(t.edges))[:end]
	}
	copy(t.edges[at:], edges)
	n.few[0].visits = at
	return at
}

// setRootEdges sets all edges of the root.
func (t *tree) setRootEdges(n *node, all []edge) {
	n.len = uint16(len(all))
	if copy(n.few[:], all) < len(all) {
		t.setEdges(n, all)
	}
}
