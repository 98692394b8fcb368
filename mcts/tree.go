package mcts

import (
	"math"
	"math/bits"
	"slices"

	"damier/internal/pages"
	"damier/rules"
)

// The tree lives in slices, and everything in it is an index into one of them:
//
//	nodes   [ root | node | node | node | ... ]   in order of creation; the root is 0
//	  |      |
//	  |      '-- seeds: [ s s s s s s ]  one for each legal move, in their order
//	  '-- edges: [ e e e e ]             of a node with more than two: 4, 8, 16, ... places
//	boards  [ root | brd  | brd  | brd  | ... ]   node i goes with boards[i]
//
//	        edge.child -> node
//
// A simulation in a large tree spends its time waiting for memory, so what counts is at how many places it has to look.
// Going down and back up it needs, of each node on its way, the edges that have been tried and the next, and nothing else.
// Four of five nodes have one edge or two, and these lie within the node. Only growth reads the boards and the seeds, of the
// one node that grows:
//
//	node    [ visits q own seeds ... | edge edge ]         64 bytes, a line of the cache
//	edge    [ prior value visits child virtual move ]      20 bytes
//	board   [ draws position count open ... ]              64 bytes
//	seed    [ prior value from to ]                         6 bytes
//
// A seed is what a move is before its turn comes: then it becomes an edge. The edges of a node are tried in the order of
// their priors, the greatest first, and lie in that order. Selection never looks at the children: an edge repeats its
// child's value. Moves are not kept: a seed knows the squares of a quiet move, and growth makes the captures of the one
// node it needs anew. The root has all its edges from the beginning, in the order of the moves, and no seeds.
//
// With [Config].Share a node that several orders of moves lead to has several edges that lead to it, so a node does not
// know its parents: who goes down keeps the path for the way back.
type tree struct {
	nodes  []node
	boards []board
	edges  []edge
	free   [17]int32 // by the logarithm of their places: edges given back, the first of a chain by child; 0 ends it
	seeds  []seed
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
	visits int32   // backed-up simulations through the node, its own evaluation included
	q      float32 // what it is worth now, in [0,1] for the side to move
	own    float32 // what its evaluation or its end said, the same
	seeds  int32   // the first of its seeds
	len    uint16  // edges
	ply    uint8   // from the root, by the first way that was found; 255 stands for more
	flags  flags
	state  state
	proof  Proof
	occurs uint8       // occurrences of position in game and path, 1 for a new one
	turn   rules.Color // of the position
	few    [2]edge     // its edges; if they are more than two, few[0].child is where they begin in tree.edges
}

// flags are what combinations say of a node.
type flags uint8

const (
	scouted     flags = 1 << iota
	scoutedDeep       // for longer combinations too
	onWay             // of a combination
	told              // by Positions
)

// board is what selection need not know of a node.
type board struct {
	draws     float64 // draw parts of all visits
	win, draw float32 // parts of the evaluation, or the result at the end of a line, for the side to move
	position  rules.Position
	count     uint16 // legal moves
	open      uint16 // those that are not settled
}

// setValue and value are the evaluation, or the result.
func (b *board) setValue(w rules.WDL) { b.win, b.draw = w.Win, w.Draw }

func (b *board) value() rules.WDL {
	return rules.WDL{Win: b.win, Draw: b.draw, Loss: max(1-b.win-b.draw, 0)}
}

// state is where a node stands between its creation and its evaluation.
type state uint8

const (
	unevaluated state = iota
	inFlight          // handed out by Gather
	expanded          // evaluated: value and priors hold
	terminal          // the game ends here, or the search takes it for a draw
)

// edge is a legal move that was tried, or is the next.
type edge struct {
	prior   float32 // in [0,1]
	value   float32 // of the child at its last backup by this edge, in [0,1] for the side to move in the parent; see unknown
	visits  int32   // simulations that went by it, those under way included
	child   int32
	virtual int16  // simulations by it that are under way
	move    uint16 // its number among the legal moves in canonical order; settledBit, offerBit
}

// Bits of an edge's move.
const (
	settledBit = 1 << 15 // the node knows that the child is proved
	offerBit   = 1 << 14 // the move begins a combination, or goes on with it
	mostMoves  = offerBit - 1
)

func (e *edge) number() int   { return int(e.move & mostMoves) }
func (e *edge) settled() bool { return e.move&settledBit != 0 }

// real returns how many simulations by e have been backed up.
func (e *edge) real() int32 { return e.visits - int32(e.virtual) }

// Values of an edge that are no score: before its first backup, where the evaluator told none, and of a move that is
// proved to lose, which is never selected.
const unknown = float32(2)

var lost = float32(math.Inf(-1))

// score returns the value of an edge that has been backed up.
func (e *edge) score() float32 { return max(e.value, 0) }

// seed is a legal move whose turn has not come.
type seed struct {
	prior    uint16       // see packPrior; grownSeed if it is an edge
	value    uint16       // that the evaluator told, see packValue
	from, to rules.Square // of a quiet move; NoSquare for a capture
}

// grownSeed is the prior of a seed that became an edge.
const grownSeed = math.MaxUint16

// packPrior returns p in [0,1], rounded to nine bits behind the first, in 16: those of a float32 that such numbers do
// not share. Greater priors have greater numbers.
func packPrior(p float32) uint16 { return uint16((math.Float32bits(p) + 1<<13) >> 14) }

func unpackPrior(p uint16) float32 { return math.Float32frombits(uint32(p) << 14) }

// packValue returns a value in [0,1], or unknown, in 16 bits.
func packValue(v float32) uint16 {
	if v == unknown {
		return math.MaxUint16
	}
	return uint16(v*(math.MaxUint16-1) + 0.5)
}

func unpackValue(v uint16) float32 {
	if v == math.MaxUint16 {
		return unknown
	}
	return float32(v) / (math.MaxUint16 - 1)
}

// step is a node on the way down and the place among its edges of the one taken there.
type step struct{ node, edge int32 }

// edgesOf returns the edges of n.
func (t *tree) edgesOf(n *node) []edge {
	if int(n.len) > len(n.few) {
		at := n.few[0].child
		return t.edges[at : at+int32(n.len)]
	}
	return n.few[:n.len]
}

// edge returns the edge of a step.
func (t *tree) edge(at step) *edge { return &t.edgesOf(&t.nodes[at.node])[at.edge] }

// seedsOf returns the seeds of a node that was evaluated, other than the root.
func (t *tree) seedsOf(id int32) []seed {
	at := t.nodes[id].seeds
	return t.seeds[at : at+int32(t.boards[id].count)]
}

// push gives n one more edge.
func (t *tree) push(n *node, e edge) {
	switch size, at := int32(n.len), n.few[0].child; {
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
		t.edges[old].child = t.free[class]
		t.free[class] = old
	}
	n.len++
}

// leastPlaces is the number of places that a node with more than two edges has at first. The number doubles when there
// is one edge more than places.
const leastPlaces = 4

// setEdges takes places for the edges of n and one more outside of the node, copies them there, and
func (t *tree) setEdges(n *node, edges []edge) int32 {
	class := bits.Len32(max(uint32(len(edges)), leastPlaces-1))
	places := int32(1) << class
	at := t.free[class]
	if at != 0 {
		t.free[class] = t.edges[at].child
	} else {
		at = max(int32(len(t.edges)), leastPlaces) // place 0 is none
		end := int(at + places)
		t.edges = slices.Grow(t.edges, end-len(t.edges))[:end]
	}
	copy(t.edges[at:], edges)
	n.few[0].child = at
	return at
}

// Positions tells of the positions in the tree, the root not among them, that have been visited so often, have been evaluated, and
// have not been told of before: how to come there, and what they are worth to the side to move, in [0,1]. A line holds, for each
// move that was a choice, its number among the legal moves in canonical order; forced moves follow by themselves. The line
// belongs to the search. Positions more than 255 choices away, or behind a move with a greater number, are left out.
func (s *Search) Positions(visits int, yield func(line []uint8, p rules.Position, worth float64)) {
	if len(s.nodes) > 0 {
		s.positions(rootID, make([]uint8, 0, 16), int32(max(visits, 1)), yield)
	}
}

func (s *Search) positions(id int32, line []uint8, visits int32, yield func([]uint8, rules.Position, float64)) {
	if len(line) == math.MaxUint8 {
		return
	}
	for _, e := range s.edgesOf(&s.nodes[id]) {
		if e.child <= rootID || e.number() > math.MaxUint8 {
			continue
		}
		n := &s.nodes[e.child]
		if n.visits < visits || n.state != expanded {
			continue
		}
		way := append(line, uint8(e.number()))
		if n.flags&told == 0 {
			n.flags |= told
			yield(way, s.boards[e.child].position, float64(n.q))
		}
		s.positions(e.child, way, visits, yield)
	}
}

// Size returns how many nodes the tree has, and how many bytes they take with all that belongs to them, other than memory
// that is held for more.
func (s *Search) Size() (nodes int, bytes int64) {
	t := &s.tree
	bytes = int64(len(t.nodes))*(nodeBytes+boardBytes) + int64(len(t.edges))*edgeBytes + int64(len(t.seeds))*seedBytes +
		int64(len(t.shared.slots))*slotBytes
	return len(t.nodes), bytes
}

// What the parts of a tree take; TestLayout holds them.
const (
	nodeBytes  = 64
	boardBytes = 64
	edgeBytes  = 20
	seedBytes  = 6
	slotBytes  = 8
)

// reset empties the tree, keeping its memory.
func (t *tree) reset() {
	t.nodes, t.boards, t.edges, t.seeds = t.nodes[:0], t.boards[:0], t.edges[:0], t.seeds[:0]
	t.free = [17]int32{}
	t.shared.reset()
}

// add appends n with its board, and returns its index. limit bounds the growth of the slabs.
func (t *tree) add(n *node, b *board, limit int) int32 {
	id := int32(len(t.nodes))
	if len(t.nodes) == cap(t.nodes) {
		room := max(min(2*cap(t.nodes), limit), len(t.nodes)+1)
		t.nodes = append(pages.Large(make([]node, 0, room)), t.nodes...)
		t.boards = append(pages.Large(make([]board, 0, room)), t.boards...)
	}
	b.open = b.count
	t.nodes = append(t.nodes, *n)
	t.boards = append(t.boards, *b)
	return id
}

// next makes an edge of the seed of node id that is to be tried next: that of the greatest prior, of equals the move that
// comes first. There may be none.
func (t *tree) next(id int32) {
	seeds := t.seedsOf(id)
	// The greatest of numbers without a branch: above the prior, 0 for a seed that grew; below what is the greater the
	// sooner the move comes.
	best := uint32(0)
	for i := range seeds {
		best = max(best, uint32(seeds[i].prior+1)<<16|uint32(mostMoves-i))
	}
	if best>>16 == 0 {
		return
	}
	top := mostMoves - int(best&math.MaxUint16)
	x := &seeds[top]
	t.push(&t.nodes[id], edge{prior: unpackPrior(x.prior), value: unpackValue(x.value), child: noNode, move: uint16(top)})
	x.prior = grownSeed
}

// plantEdges gives the root its edges.
func (t *tree) plantEdges(n *node, all []edge) {
	n.len = uint16(len(all))
	if copy(n.few[:], all) < len(all) {
		t.setEdges(n, all)
	}
}

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
	for _, at := range path {
		e := t.edge(at)
		e.visits += int32(by)
		e.virtual += by
	}
}

// visit counts a simulation that ended in node id, by path, with a draw part for the side to move there, and brings all
// nodes of the path up to date. under says how often pass has counted the simulation on its way.
func (s *Search) visit(id int32, path []step, draw float64, under int16) {
	t := &s.tree
	c := &t.nodes[id]
	c.visits++
	if draw != 0 {
		t.boards[id].draws += draw
	}
	for i := len(path) - 1; i >= 0; i-- {
		at := path[i]
		n := &t.nodes[at.node]
		edges := t.edgesOf(n)
		e := &edges[at.edge]
		e.virtual -= under
		e.visits += int32(1 - under)
		n.visits++
		if draw != 0 {
			t.boards[at.node].draws += draw
		}
		if e.value != lost {
			e.value = c.valueFor(n.turn)
		}
		if c.proof != NotProved && !e.settled() {
			e.move |= settledBit
			t.settle(at.node, e, c)
		}
		s.weigh(at.node, n, edges)
		c = n
	}
}

// settle tells node id that the child c of its edge e is proved.
func (t *tree) settle(id int32, e *edge, c *node) {
	n, b := &t.nodes[id], &t.boards[id]
	b.open--
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
	if b.open > 0 || n.proof != NotProved {
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
	t.boards[id].setValue(p.wdl())
}

// weigh sets what node id is worth by its edges.
func (s *Search) weigh(id int32, n *node, edges []edge) {
	if n.proof != NotProved {
		n.q = float32(s.worth(n.proof.wdl(), n.turn))
		return
	}
	sum, best := float64(n.own), float32(-1)
	for i := range edges {
		e := &edges[i]
		v := e.value
		if v < 0 { // lost
			v = 0
		}
		sum += float64(e.real()) * float64(v)
		if v = e.value; v > 1 { // unknown
			v = -1
		}
		if v > best {
			best = v
		}
	}
	q := sum / float64(n.visits)
	if s.cfg.Best > 0 && best >= 0 {
		q += s.cfg.Best * (float64(best) - q)
	}
	n.q = float32(q)
}

// keep makes dst what can be reached in t from node id, in breadth-first order, without nodes that were never evaluated.
func (t *tree) keep(id int32, dst *tree) {
	dst.reset()
	if cap(dst.nodes) < len(t.nodes) {
		*dst = tree{
			nodes:  pages.Large(make([]node, 0, cap(t.nodes))),
			boards: pages.Large(make([]board, 0, cap(t.boards))),
			edges:  pages.Large(make([]edge, 0, cap(t.edges))),
			seeds:  pages.Large(make([]seed, 0, cap(t.seeds))),
			shared: dst.shared,
			moved:  dst.moved,
		}
	}
	if t.shared.on {
		dst.moved = slices.Grow(dst.moved[:0], len(t.nodes))[:len(t.nodes)]
		clear(dst.moved)
	}
	ply := t.nodes[id].ply
	dst.nodes, dst.boards = append(dst.nodes, t.nodes[id]), append(dst.boards, t.boards[id])
	for i := 0; i < len(dst.nodes); i++ {
		n := dst.nodes[i] // a copy: the slab may move
		n.ply -= min(ply, n.ply)
		if n.state == expanded && (id != rootID || i > 0) {
			seeds := t.seeds[n.seeds : n.seeds+int32(dst.boards[i].count)]
			n.seeds = int32(len(dst.seeds))
			dst.seeds = append(dst.seeds, seeds...)
		}
		if int(n.len) > len(n.few) {
			old := t.edgesOf(&n)
			dst.setEdges(&n, old[:len(old)-1]) // and one more
			copy(dst.edgesOf(&n), old)
		}
		edges := dst.edgesOf(&n)
		for j := range edges {
			e := &edges[j]
			if e.child == noNode {
				continue
			}
			c := &t.nodes[e.child]
			if c.visits == 0 {
				e.child, e.visits = noNode, 0
				continue
			}
			if t.shared.on && dst.moved[e.child] > 0 {
				e.child = dst.moved[e.child]
				continue
			}
			fresh := int32(len(dst.nodes))
			dst.nodes, dst.boards = append(dst.nodes, *c), append(dst.boards, t.boards[e.child])
			if t.shared.on && t.sharable(e.child) {
				dst.moved[e.child] = fresh
				dst.shared.put(&dst.boards[fresh].position, fresh)
			}
			e.child = fresh
		}
		dst.nodes[i] = n
	}
}
