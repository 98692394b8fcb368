package mcts

import (
	"damier/internal/simd"
	"damier/rules"
)

// The tree lives in slices, and all references are indices into them:
//
//	nodes   [ root | node | node | node | ... ]   in order of creation; the root is 0
//	  |      |
//	  |      '-- seeds: [ s s s s s s ]  one for each legal move, in their order
//	  '-- edges: [ e e e e ]             of a node with more than one: 2, 4, 8, 16, ... places
//	boards  [ root | brd  | brd  | brd  | ... ]   node i goes with boards[i]
//
//	        edge.child -> node
//
// A simulation in a large tree mostly waits for memory, so the number of places it reads decides
// its speed. For each node on the path it reads only the tried edges, and a copy of the seed to try
// next. Most nodes have no edge or one, and it is stored in the node itself. Only growth reads the
// board and the seeds, of the one node that grows:
//
//	node    [ visits q own seeds ... next | edge ]         48 bytes
//	edge    [ value visits child virtual prior move ]      16 bytes
//	board   [ position ]                                   32 bytes
//	seed    [ prior value ]                                 4 bytes
//
// A move is a seed until it is tried; then it becomes an edge. The edges of a node are tried, and
// stored, in descending order of their priors. Selection never looks at the children, because
// an edge holds a copy of its child's value. Moves are not stored: growth generates those of the
// one node that grows again. The root has all its edges from the beginning, in the order of the
// moves, and no seeds.
//
// With [Config].Share several edges may lead to one node, so a node does not know its parents. The
// descent therefore keeps its path for the backup.
type tree struct {
	nodes  []node
	boards []rules.Packed    // the positions of the nodes
	high   []rules.HighWords // the rest of the positions, if wide
	wide   bool              // the board has more than 64 squares
	edges  []edge
	free   [17]int32 // free lists of edge blocks by log2 of their size, linked by visits; 0 ends a list
	seeds  []seed
	shared shared
	moved  []int32 // scratch of copySubtree: new index by old index, for nodes that several edges may lead to

	// Only a root needs these. If the root can change, each node has them, otherwise node 0 alone.
	roots bool      // each node has them
	draws []float64 // sum of the draw probabilities of all visits
	raws  []raw     // the evaluation
}

// Size returns the number of nodes of the tree, and the bytes of these nodes with their edges and
// seeds. It does not count memory reserved for growth.
func (s *Search) Size() (nodes int, bytes int64) {
	t := &s.tree
	bytes = int64(len(t.nodes))*(nodeBytes+boardBytes) + int64(len(t.edges))*edgeBytes + int64(len(t.seeds))*seedBytes +
		int64(len(t.shared.slots))*slotBytes + int64(len(t.high))*highBytes +
		int64(len(t.draws))*drawsBytes + int64(len(t.raws))*rawBytes
	return len(t.nodes), bytes
}

// The sizes in bytes of the parts of a tree; TestLayout checks them.
const (
	nodeBytes  = 48
	boardBytes = 32
	edgeBytes  = 16
	seedBytes  = 4
	slotBytes  = 4
	highBytes  = 6 // of boards with more than 64 squares
	drawsBytes = 8 // draws and raws: of trees whose root can change
	rawBytes   = 8
)

// reset empties the tree and keeps its memory.
func (t *tree) reset() {
	t.nodes, t.boards, t.edges, t.seeds = t.nodes[:0], t.boards[:0], t.edges[:0], t.seeds[:0]
	t.high, t.draws, t.raws = t.high[:0], t.draws[:0], t.raws[:0]
	t.free = [17]int32{}
	t.shared.reset()
}

// add appends n, a node of position p, and returns its index. limit bounds the growth of the
// slabs.
func (t *tree) add(n *node, p *rules.Position, limit int) int32 {
	id := int32(len(t.nodes))
	if len(t.nodes) == cap(t.nodes) {
		room := max(min(2*cap(t.nodes), limit), len(t.nodes)+1)
		t.nodes = append(simd.Large(make([]node, 0, room)), t.nodes...)
		t.boards = append(simd.Large(make([]rules.Packed, 0, room)), t.boards...)
		if t.wide {
			t.high = append(simd.Large(make([]rules.HighWords, 0, room)), t.high...)
		}
		if t.roots {
			t.draws = append(simd.Large(make([]float64, 0, room)), t.draws...)
			t.raws = append(simd.Large(make([]raw, 0, room)), t.raws...)
		}
	}
	n.open = n.count
	n.next.prior = grownSeed
	t.nodes = append(t.nodes, *n)
	packed, high := p.Pack()
	t.boards = append(t.boards, packed)
	if t.wide {
		t.high = append(t.high, high)
	}
	if t.roots || id == rootID {
		t.draws = append(t.draws, 0)
		t.raws = append(t.raws, raw{})
	}
	return id
}

// position returns the position of node id.
func (t *tree) position(id int32) rules.Position {
	if t.wide {
		return t.boards[id].Unpack(t.high[id])
	}
	return t.boards[id].Unpack(rules.HighWords{})
}

// is reports whether node id has the position with these parts.
func (t *tree) is(id int32, p *rules.Packed, high *rules.HighWords) bool {
	return t.boards[id] == *p && (!t.wide || t.high[id] == *high)
}
