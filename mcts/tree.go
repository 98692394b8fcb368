package mcts

import (
	"damier/rules"
)

// The tree lives in four slices, and everything in it is an index into one of them:
//
//	nodes  [ root | node | node | node | ...          ]  in order of creation; the root is 0
//	            |      '------ first, count ----.
//	edges  [ e e e | e e | e e e e e e | e e e | ...  ]  the edges of a node are neighbours,
//	moves  [ m m m | m m | m m m m m m | m m m | ...  ]  edge i plays moves[i]
//	line   [ f f f | f | f f | ...                    ]  forced plies, by node: line, forced
//
//	        edge.child -> node          node.parent -> node, node.edge -> edge
//
// What a simulation costs in a large tree is the cache lines it has to wait for: going down, those of each node
// on its way and, when they tell where they are, those of its edges:
//
//	node   [ sum draws visits first parent edge line count ... | value position ]  96 bytes, of which
//	         selection and backup need the first 46               only growth needs the others
//
//	edge   [ prior value visits child ]                                            16 bytes, four to a line
//
// Selection runs over the edges of a node, neighbours that come as one stream, and never looks at the children: an
// edge repeats its child's visits and mean. Moves lie apart because only growth reads them, and Leaf.Moves is that
// memory, not a copy. Backup climbs by parent, over the lines that selection has just read.
type tree struct {
	nodes []node
	edges []edge
	moves []rules.Move // one for each edge
	line  []rules.Move
}

// rootID is the index of the root node; noNode is the child of an edge that was never tried.
const (
	rootID = int32(0)
	noNode = int32(-1)
)

// node is a position in which there is a choice, or the end of a line.
type node struct {
	sum    float64 // scores of all visits, for the side to move
	draws  float64 // draw parts of the same
	visits int32   // backed-up simulations through the node, its own evaluation included
	first  int32   // its edges: first, first+1, ... first+count-1
	parent int32   // noNode for the root
	edge   int32   // the parent's edge that leads here
	line   int32   // the forced plies that end here: line, ... line+forced-1
	count  uint16
	forced uint8
	state  state
	occurs uint8 // occurrences of position in game and path, 1 for a new one

	virtual  int16     // simulations below that are in flight and count as lost
	value    rules.WDL // evaluation, or the result at the end of a line, for the side to move
	position rules.Position
}

// state is where a node stands between its creation and its evaluation.
type state uint8

const (
	unevaluated state = iota
	inFlight          // handed out by Gather
	expanded          // evaluated: value and priors hold
	terminal          // the game ends here, or the search takes it for a draw
)

// edge is a legal move as selection sees it. visits and value are the child's, virtual losses included.
type edge struct {
	prior  float32 // in [0,1]; the priors of a node sum to 1
	value  float32 // mean score in [0,1] for the side to move in the parent; undefined while unvisited
	visits int32
	child  int32
}

// flips reports whether n's side to move is another than its parent's.
func (n *node) flips() bool { return n.forced%2 == 0 }

// mean returns the mean score of n in [0,1] for the side to move in n's parent if up, else in n.
func (n *node) mean(up bool) float64 {
	q := n.sum / float64(n.visits)
	if up && n.flips() {
		return 1 - q
	}
	return q
}

// edgesOf returns the edges of n.
func (t *tree) edgesOf(n *node) []edge { return t.edges[n.first : n.first+int32(n.count)] }

// movesOf returns the legal moves of n, with no room behind them.
func (t *tree) movesOf(n *node) []rules.Move {
	end := n.first + int32(n.count)
	return t.moves[n.first:end:end]
}

// lineOf returns the forced plies between the parent's move and n.
func (t *tree) lineOf(n *node) []rules.Move { return t.line[n.line : n.line+int32(n.forced)] }

// reset empties the tree, keeping its memory.
func (t *tree) reset() {
	t.nodes, t.edges, t.moves, t.line = t.nodes[:0], t.edges[:0], t.moves[:0], t.line[:0]
}

// add appends n, whose moves are the last of t.moves, and returns its index. limit bounds the growth of
// the slab.
func (t *tree) add(n node, limit int) int32 {
	id := int32(len(t.nodes))
	if len(t.nodes) == cap(t.nodes) {
		grown := make([]node, len(t.nodes), max(min(2*cap(t.nodes), limit), len(t.nodes)+1))
		copy(grown, t.nodes)
		t.nodes = grown
	}
	for range n.count {
		t.edges = append(t.edges, edge{child: noNode})
	}
	t.nodes = append(t.nodes, n)
	return id
}

// refresh brings the edge that leads to n up to date with n.
func (t *tree) refresh(n *node) {
	e := &t.edges[n.edge]
	e.visits = n.visits + int32(n.virtual)
	sum := n.sum
	if n.flips() {
		sum = float64(n.visits) - sum
	}
	if e.visits > 0 {
		e.value = float32(sum / float64(e.visits))
	}
}

// backup counts a simulation that ended in node id with the given score and draw part for the side to
// move there, and takes loss virtual losses back on its way to the root.
func (t *tree) backup(id int32, score, draw float64, loss int16) {
	for {
		n := &t.nodes[id]
		n.visits++
		n.sum += score
		n.draws += draw
		n.virtual -= loss
		if id == rootID {
			return
		}
		t.refresh(n)
		if n.flips() {
			score = 1 - score
		}
		id = n.parent
	}
}

// lose adds by virtual losses to node id and all above it; a negative by takes them back.
func (t *tree) lose(id int32, by int16) {
	for {
		n := &t.nodes[id]
		n.virtual += by
		if id == rootID {
			return
		}
		t.refresh(n)
		id = n.parent
	}
}

// find follows played moves from the root and returns the node they lead to; noNode if the tree has no
// such node, or if they end between two nodes, on a forced ply.
func (t *tree) find(played []rules.Move) int32 {
	id := rootID
	for len(played) > 0 {
		n := &t.nodes[id]
		next := noNode
		for i, m := range t.movesOf(n) {
			if m == played[0] {
				next = t.edges[n.first+int32(i)].child
			}
		}
		if next == noNode {
			return noNode
		}
		line := t.lineOf(&t.nodes[next])
		played = played[1:]
		if len(line) > len(played) {
			return noNode
		}
		for i, m := range line {
			if m != played[i] {
				return noNode
			}
		}
		played = played[len(line):]
		id = next
	}
	return id
}

// keep makes dst the subtree of t below id, in breadth-first order, without nodes that were never
// evaluated.
func (t *tree) keep(id int32, dst *tree) {
	dst.reset()
	if cap(dst.nodes) < len(t.nodes) {
		*dst = tree{
			nodes: make([]node, 0, cap(t.nodes)),
			edges: make([]edge, 0, cap(t.edges)),
			moves: make([]rules.Move, 0, cap(t.moves)),
			line:  make([]rules.Move, 0, cap(t.line)),
		}
	}
	root := t.nodes[id]
	root.parent, root.edge, root.line, root.forced = noNode, noNode, 0, 0
	dst.nodes = append(dst.nodes, root)
	for i := 0; i < len(dst.nodes); i++ {
		n := &dst.nodes[i]
		old := *n
		n.first = int32(len(dst.edges))
		dst.edges = append(dst.edges, t.edgesOf(&old)...)
		dst.moves = append(dst.moves, t.movesOf(&old)...)
		for e := n.first; e < n.first+int32(old.count); e++ {
			child := dst.edges[e].child
			if child == noNode {
				continue
			}
			c := t.nodes[child]
			if c.visits == 0 {
				dst.edges[e] = edge{prior: dst.edges[e].prior, child: noNode}
				continue
			}
			line := t.lineOf(&c)
			c.parent, c.edge, c.line = int32(i), e, int32(len(dst.line))
			dst.line = append(dst.line, line...)
			dst.edges[e].child = int32(len(dst.nodes))
			dst.nodes = append(dst.nodes, c)
		}
	}
}
