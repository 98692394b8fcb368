package mcts

import (
	"math"
	"math/bits"
	"slices"

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

// rootID is the index of the root node. noNode is the child of an edge that was never tried.
const (
	rootID = int32(0)
	noNode = int32(-1)
)

// node is a position in which there is a choice, or the end of a line.
type node struct {
	visits int32   // backed-up simulations through the node, including its own evaluation
	q      float32 // its present value in [0,1] for the side to move
	own    float32 // the value of its own evaluation or final result, in [0,1] for the side to move
	seeds  int32   // index of its first seed
	len    uint16  // number of edges
	ply    uint8   // plies from the root, by the first path found; 255 means 255 or more
	flags  flags
	state  state
	proof  Proof
	occurs uint8       // occurrences of the position in game and path, 1 for a new one
	turn   rules.Color // the side to move
	count  uint16      // number of legal moves
	open   uint16      // number of moves that are not settled
	next   seed        // a copy of the seed to try next; its prior is grownSeed if there is none
	few    [1]edge     // its edge; if there are more, few[0].visits is their index in tree.edges
}

// raw is an evaluation, for the side to move.
type raw struct{ win, draw float32 }

func (r raw) wdl() rules.WDL {
	return rules.WDL{Win: r.win, Draw: r.draw, Loss: max(1-r.win-r.draw, 0)}
}

// draw returns the draw probability of a node that ends its line or is proved. An end has no edge
// and keeps the number there.
func (n *node) draw() float32 {
	if n.proof != NotProved {
		return n.proof.wdl().Draw
	}
	return n.few[0].value
}

// flags mark what was done with a node.
type flags uint8

const (
	scouted     flags = 1 << iota
	scoutedDeep       // searched for longer combinations too
	onWay             // inside a combination
	reported          // reported by Positions
)

// state is the progress of a node from its creation to its evaluation.
type state uint8

const (
	unevaluated state = iota
	inFlight          // handed out by Gather
	expanded          // evaluated: value and priors are set
	terminal          // the game ends here, or the search treats the position as a draw
)

// grownSeed is the prior of a seed that became an edge.
const grownSeed = math.MaxUint16

// noValue is the value of a seed to which the evaluator gave none.
const noValue = math.MaxUint16

// step is a node on the path and the index of the edge taken there.
type step struct{ node, edge int32 }

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

// seedsOf returns the seeds of an evaluated node that is not the root.
func (t *tree) seedsOf(id int32) []seed {
	at := t.nodes[id].seeds
	return t.seeds[at : at+int32(t.nodes[id].count)]
}

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

// Positions yields the positions in the tree below the root that have at least the given number of
// visits, are evaluated, and were not yielded before. worth is the value in [0,1] for the side to
// move: that of its best move, as Config.LeastVisits chooses it. line is the path: for each move
// that was a choice, its index among the legal moves in canonical order; forced moves are left out.
// The line belongs to the search. Positions more than 255 choices away, or after a move with a
// greater index, are left out.
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
		child := e.child()
		if child == noNode || e.number() > math.MaxUint8 {
			continue
		}
		n := &s.nodes[child]
		if n.visits < visits || n.state != expanded {
			continue
		}
		way := append(line, uint8(e.number()))
		if n.flags&reported == 0 {
			n.flags |= reported
			yield(way, s.position(child), float64(s.trustedValue(n)))
		}
		s.positions(child, way, visits, yield)
	}
}

// trustedValue returns the value of the best move of node n: of the moves with a share
// Config.LeastVisits of the most visits the highest. It is the value of n if that is proved, or if
// no move has a visit and does not lose.
func (s *Search) trustedValue(n *node) float32 {
	edges := s.edgesOf(n)
	most := mostVisits(edges)
	if n.proof != NotProved || most == 0 {
		return n.q
	}
	best, least := float32(0), s.cfg.LeastVisits*float64(most)
	for i := range edges {
		if e := &edges[i]; e.value <= 1 && e.visits > 0 && float64(e.visits) >= least {
			best = max(best, e.value)
		}
	}
	return best
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

// setRootEdges sets all edges of the root.
func (t *tree) setRootEdges(n *node, all []edge) {
	n.len = uint16(len(all))
	if copy(n.few[:], all) < len(all) {
		t.setEdges(n, all)
	}
}

// valueFor returns the value of node c for side turn, in [0,1].
func (c *node) valueFor(turn rules.Color) float32 {
	if c.turn != turn {
		return 1 - c.q
	}
	return c.q
}

// pass adds by to the simulations in flight on each edge of path (WU-UCT: Liu et al., ICLR 2020,
// count them as visits and do not change the values). A negative by removes them.
func (t *tree) pass(path []step, by int16) {
	if by == 0 {
		return
	}
	for _, at := range path {
		e := t.edge(at)
		e.visits += int32(by)
		e.addVirtual(by)
	}
}

// visit counts a simulation that ended in node id after path, with the draw probability draw for
// the side to move there, and updates all nodes of the path. under says how often pass has counted
// the simulation on its path.
func (s *Search) visit(id int32, path []step, draw float64, under int16) {
	t := &s.tree
	c := &t.nodes[id]
	c.visits++
	if draw != 0 && int(id) < len(t.draws) {
		t.draws[id] += draw
	}
	for i := len(path) - 1; i >= 0; i-- {
		at := path[i]
		n := &t.nodes[at.node]
		edges := t.edgesOf(n)
		e := &edges[at.edge]
		e.addVirtual(-under)
		e.visits += int32(1 - under)
		n.visits++
		if draw != 0 && int(at.node) < len(t.draws) {
			t.draws[at.node] += draw
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

// settle records in node id that the child c of its edge e is proved.
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

// prove sets the proved result of node id to p.
func (t *tree) prove(id int32, p Proof) {
	t.nodes[id].proof = p
}

// weigh sets the value of node id from its edges.
func (s *Search) weigh(id int32, n *node, edges []edge) {
	if n.proof != NotProved {
		n.q = float32(s.worth(n.proof.wdl(), n.turn))
		return
	}
	sum, top := float64(n.own), int32(-1) // top: the bits of the best value, -1 for none
	for i := range edges {
		e := &edges[i]
		v := e.value
		// Of values from 0 on the greater has the greater bits; those of lost are negative.
		bits := int32(math.Float32bits(v))
		if v > 1 { // unknown
			bits = -1
		}
		top = max(top, bits)
		if v < 0 { // lost
			v = 0
		}
		sum += float64(e.real()) * float64(v)
	}
	best := float32(-1)
	if top >= 0 {
		best = math.Float32frombits(uint32(top))
	}
	q := sum / float64(n.visits)
	if s.cfg.Best > 0 && n.next.prior != grownSeed && n.next.value != noValue {
		best = max(best, unpackValue(n.next.value))
	}
	if s.cfg.Best > 0 && best >= 0 {
		q += s.cfg.Best * (float64(best) - q)
	}
	n.q = float32(q)
}

// copySubtree copies to dst all nodes that can be reached in t from node id, in breadth-first
// order, without those never evaluated.
func (t *tree) copySubtree(id int32, dst *tree) {
	dst.reset()
	if cap(dst.nodes) < len(t.nodes) {
		*dst = tree{
			nodes:  simd.Large(make([]node, 0, cap(t.nodes))),
			boards: simd.Large(make([]rules.Packed, 0, cap(t.boards))),
			high:   simd.Large(make([]rules.HighWords, 0, cap(t.high))),
			draws:  simd.Large(make([]float64, 0, cap(t.draws))),
			raws:   simd.Large(make([]raw, 0, cap(t.raws))),
			wide:   t.wide,
			roots:  t.roots,
			edges:  simd.Large(make([]edge, 0, cap(t.edges))),
			seeds:  simd.Large(make([]seed, 0, cap(t.seeds))),
			shared: dst.shared,
			moved:  dst.moved,
		}
	}
	if t.shared.on {
		dst.moved = slices.Grow(dst.moved[:0], len(t.nodes))[:len(t.nodes)]
		clear(dst.moved)
	}
	ply := t.nodes[id].ply
	dst.copyNode(t, id)
	for i := 0; i < len(dst.nodes); i++ {
		n := dst.nodes[i] // a copy: the slab may move
		n.ply -= min(ply, n.ply)
		if n.state == expanded && (id != rootID || i > 0) {
			seeds := t.seeds[n.seeds : n.seeds+int32(n.count)]
			n.seeds = int32(len(dst.seeds))
			dst.seeds = append(dst.seeds, seeds...)
		}
		if int(n.len) > len(n.few) {
			old := t.edgesOf(&n)
			dst.setEdges(&n, old[:len(old)-1]) // setEdges leaves room for one more
			copy(dst.edgesOf(&n), old)
		}
		edges := dst.edgesOf(&n)
		for j := range edges {
			e := &edges[j]
			child := e.child()
			if child == noNode {
				continue
			}
			if t.nodes[child].visits == 0 {
				e.setChild(rootID) // none
				e.visits = 0
				continue
			}
			if t.shared.on && dst.moved[child] > 0 {
				e.setChild(dst.moved[child])
				continue
			}
			fresh := int32(len(dst.nodes))
			dst.copyNode(t, child)
			if t.shared.on && t.sharable(child) {
				dst.moved[child] = fresh
				dst.share(fresh)
			}
			e.setChild(fresh)
		}
		dst.nodes[i] = n
	}
}

// copyNode appends node id of src.
func (t *tree) copyNode(src *tree, id int32) {
	t.nodes = append(t.nodes, src.nodes[id])
	t.boards = append(t.boards, src.boards[id])
	if t.wide {
		t.high = append(t.high, src.high[id])
	}
	t.draws = append(t.draws, src.draws[id])
	t.raws = append(t.raws, src.raws[id])
}
