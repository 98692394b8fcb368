package mcts

import (
	"math"
	"slices"

	"damier/rules"
)

// The tree lives in slices, and everything in it is an index into one of them:
//
//	nodes   [ root | node | node | node | ...          ]  in order of creation; the root is 0
//	boards  [ root | brd  | brd  | brd  | ...          ]  node i goes with boards[i]
//	             |      '------ first, count ----.
//	edges   [ e e e | e e | e e e e e e | e e e | ...  ]  the edges of a node are neighbours,
//	asides  [ a a a | a a | a a a a a a | a a a | ...  ]  edge i goes with asides[i]
//
//	         edge.child -> node
//
// What a simulation costs in a large tree is the cache lines it has to wait for. Going down and back up it needs, of each
// node on its way, the node and those of its edges that have been tried and the next; only growth needs the others:
//
//	node    [ sum visits first q count open ply state ... ]   32 bytes, two to a line
//	edge    [ prior value visits child ]                      16 bytes, four to a line
//	board   [ draws value position ]                          64 bytes
//	aside   [ virtual move from to settled ]                   8 bytes
//
// The edges of a node are tried in the order of their priors, the greatest first. Those that have been tried lie first, then
// the next, and selection stops behind it. It never looks at the children: an edge repeats its child's value. Moves are
// not kept: an aside knows the squares of a quiet move, and growth makes the captures of the one node it needs anew. The
// edges of the root lie in the order of the moves, for the rules at the root.
//
// With [Config].Share a node that several orders of moves lead to has several edges that lead to it, so a node does not
// know its parents: who goes down keeps the path for the way back.
type tree struct {
	nodes  []node
	boards []board
	edges  []edge
	asides []aside
	shared shared
	moved  []int32 // scratch of keep: by the number of a node that several edges may lead to, its new one
}

// rootID is the index of the root node; noNode is the child of an edge that was never tried.
const (
	rootID = int32(0)
	noNode = int32(-1)
)

// node is a position in which there is a choice, or the end of a line.
type node struct {
	sum    float64 // its own value and, for each edge, its visits times its value, for the side to move
	visits int32   // backed-up simulations through the node, its own evaluation included
	first  int32   // its edges: first, first+1, ... first+count-1
	q      float32 // what it is worth now, in [0,1] for the side to move
	count  uint16
	open   uint16 // edges that are not settled
	ply    uint16 // from the root, by the first way that was found
	state  state
	proof  Proof
	occurs uint8       // occurrences of position in game and path, 1 for a new one
	turn   rules.Color // of the position
}

// board is what selection need not know of a node.
type board struct {
	draws    float64   // draw parts of all visits
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

// edge is a legal move as selection sees it.
type edge struct {
	prior  float32 // in [0,1]; the priors of a node sum to 1
	value  float32 // of the child at its last backup by this edge, in [0,1] for the side to move in the parent; see unknown
	visits int32   // simulations that went by it, those under way included
	child  int32
}

// Values of an edge that are no score: before its first backup, where the evaluator told none, and of a move that is
// proved to lose, which is never selected.
const unknown = float32(2)

var lost = float32(math.Inf(-1))

// score returns the value of an edge that has been backed up.
func (e *edge) score() float32 { return max(e.value, 0) }

// aside is what selection need not know of an edge.
type aside struct {
	virtual int16  // simulations by it that are under way
	move    uint16 // its number among the legal moves in canonical order
	settled bool   // the node knows that its child is proved

	from, to rules.Square // of a quiet move; NoSquare for a capture
}

// step is a node on the way down and the edge taken there.
type step struct{ node, edge int32 }

// edgesOf returns the edges of n.
func (t *tree) edgesOf(n *node) []edge { return t.edges[n.first : n.first+int32(n.count)] }

// reset empties the tree, keeping its memory.
func (t *tree) reset() {
	t.nodes, t.boards, t.edges, t.asides = t.nodes[:0], t.boards[:0], t.edges[:0], t.asides[:0]
	t.shared.reset()
}

// add appends n with its board and edges for its moves, and returns its index. limit bounds the growth of the slabs.
func (t *tree) add(n node, b *board, limit int) int32 {
	id := int32(len(t.nodes))
	if len(t.nodes) == cap(t.nodes) {
		room := max(min(2*cap(t.nodes), limit), len(t.nodes)+1)
		t.nodes = append(make([]node, 0, room), t.nodes...)
		t.boards = append(make([]board, 0, room), t.boards...)
	}
	n.first, n.open = int32(len(t.edges)), n.count
	for i := range n.count {
		t.edges = append(t.edges, edge{value: unknown, child: noNode})
		t.asides = append(t.asides, aside{move: i})
	}
	t.nodes = append(t.nodes, n)
	t.boards = append(t.boards, *b)
	return id
}

// rankNext brings the edge of n that is to be tried next to place i, behind those that were: that of the greatest prior,
// of equals the move that comes first.
func (t *tree) rankNext(n *node, i int) {
	edges, asides := t.edgesOf(n), t.asides[n.first:n.first+int32(n.count)]
	if i >= len(edges) {
		return
	}
	top := i
	for j := i + 1; j < len(edges); j++ {
		if p := edges[j].prior; p > edges[top].prior || p == edges[top].prior && asides[j].move < asides[top].move {
			top = j
		}
	}
	edges[i], edges[top] = edges[top], edges[i]
	asides[i], asides[top] = asides[top], asides[i]
}

// unrank puts the edges of n in the order of the moves.
func (t *tree) unrank(n *node) {
	edges, asides := t.edgesOf(n), t.asides[n.first:n.first+int32(n.count)]
	for i := range edges {
		for int(asides[i].move) != i {
			j := asides[i].move
			edges[i], edges[j] = edges[j], edges[i]
			asides[i], asides[j] = asides[j], asides[i]
		}
	}
}

// real returns how many simulations by edge e have been backed up.
func (t *tree) real(e int32) int32 { return t.edges[e].visits - int32(t.asides[e].virtual) }

// valueFor returns what node c is worth for side turn.
func (c *node) valueFor(turn rules.Color) float32 {
	if c.turn != turn {
		return 1 - c.q
	}
	return c.q
}

// pass counts by more simulations as under way on each edge of path (WU-UCT: Liu et al., ICLR 2020, count them as visits
// and leave the values alone); a negative by takes them back.
func (t *tree) pass(path []step, by int16) {
	if by == 0 {
		return
	}
	for _, s := range path {
		t.edges[s.edge].visits += int32(by)
		t.asides[s.edge].virtual += by
	}
}

// visit counts a simulation that ended in node id, by path, with a draw part for the side to move there, and brings all
// nodes of the path up to date. under says how often pass has counted the simulation on its way.
func (s *Search) visit(id int32, path []step, draw float64, under int16) {
	t := &s.tree
	n := &t.nodes[id]
	n.visits++
	n.sum += float64(n.q)
	t.boards[id].draws += draw
	for i := len(path) - 1; i >= 0; i-- {
		at := path[i]
		e, c := &t.edges[at.edge], n
		n = &t.nodes[at.node]
		before := e.visits // backed up before this one
		if s.flying > 0 {
			a := &t.asides[at.edge]
			before -= int32(a.virtual)
			a.virtual -= under
		}
		e.visits += int32(1 - under)
		value := c.valueFor(n.turn)
		n.visits++
		if draw != 0 {
			t.boards[at.node].draws += draw
		}
		n.sum += float64(before+1) * float64(value)
		if before > 0 {
			n.sum -= float64(before) * float64(e.score())
		}
		if e.value != lost {
			e.value = value
		}
		if c.proof != NotProved {
			if a := &t.asides[at.edge]; !a.settled {
				a.settled = true
				t.settle(at.node, e, c)
			}
		}
		s.weigh(at.node)
	}
}

// settle tells node id that the child c of its edge e is proved.
func (t *tree) settle(id int32, e *edge, c *node) {
	n := &t.nodes[id]
	n.open--
	proof := c.proof
	if c.turn != n.turn {
		proof = proof.flip()
	}
	switch {
	case n.proof != NotProved:
	case proof == ProvedWin:
		t.prove(id, ProvedWin)
	case proof == ProvedLoss:
		e.value = lost
	}
	if n.open > 0 || n.proof != NotProved {
		return
	}
	result := ProvedLoss
	for _, e := range t.edgesOf(n) {
		if e.value != lost {
			result = ProvedDraw
		}
	}
	t.prove(id, result)
}

// prove makes p the proved result of node id.
func (t *tree) prove(id int32, p Proof) {
	t.nodes[id].proof = p
	t.boards[id].value = p.wdl()
}

// weigh sets what node id is worth.
func (s *Search) weigh(id int32) {
	n := &s.nodes[id]
	if n.proof != NotProved {
		n.q = float32(s.worth(s.boards[id].value, n.turn))
		return
	}
	q := n.sum / float64(n.visits)
	if s.cfg.Best > 0 {
		best := float32(-1)
		edges := s.edgesOf(n)
		for i := range edges {
			e := &edges[i]
			if e.value > best && e.value <= 1 {
				best = e.value
			}
			if e.visits == 0 && id != rootID {
				break
			}
		}
		if best >= 0 {
			q += s.cfg.Best * (float64(best) - q)
		}
	}
	n.q = float32(q)
}

// keep makes dst what can be reached in t from node id, in breadth-first order, without nodes that were never evaluated.
func (t *tree) keep(id int32, dst *tree) {
	dst.reset()
	if cap(dst.nodes) < len(t.nodes) {
		*dst = tree{
			nodes:  make([]node, 0, cap(t.nodes)),
			boards: make([]board, 0, cap(t.boards)),
			edges:  make([]edge, 0, cap(t.edges)),
			asides: make([]aside, 0, cap(t.asides)),
			shared: dst.shared,
			moved:  dst.moved,
		}
	}
	if t.shared.on {
		dst.moved = slices.Grow(dst.moved[:0], len(t.nodes))[:len(t.nodes)]
		clear(dst.moved)
	}
	root := t.nodes[id]
	ply := root.ply
	dst.nodes, dst.boards = append(dst.nodes, root), append(dst.boards, t.boards[id])
	for i := 0; i < len(dst.nodes); i++ {
		n := dst.nodes[i] // a copy: the slab may move
		n.ply -= min(ply, n.ply)
		old := n.first
		n.first = int32(len(dst.edges))
		dst.edges = append(dst.edges, t.edges[old:old+int32(n.count)]...)
		dst.asides = append(dst.asides, t.asides[old:old+int32(n.count)]...)
		dst.nodes[i] = n
		for e := n.first; e < n.first+int32(n.count); e++ {
			child := dst.edges[e].child
			if child == noNode {
				continue
			}
			c := &t.nodes[child]
			if c.visits == 0 {
				dst.edges[e].child, dst.edges[e].visits = noNode, 0
				continue
			}
			if t.shared.on && dst.moved[child] > 0 {
				dst.edges[e].child = dst.moved[child]
				continue
			}
			fresh := int32(len(dst.nodes))
			dst.edges[e].child = fresh
			dst.nodes, dst.boards = append(dst.nodes, *c), append(dst.boards, t.boards[child])
			if t.shared.on && t.sharable(child) {
				dst.moved[child] = fresh
				dst.shared.put(&dst.boards[fresh].position, fresh)
			}
		}
	}
}
