package mcts

import "math"

// step is a node on the path and the index of the edge taken there.
type step struct{ node, edge int32 }

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
		n.proof = ProvedWin
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
	n.proof = result
}

// weigh sets the value of node id from its edges.
func (s *Search) weigh(id int32, n *node, edges []edge) {
	if n.proof != NotProved {
		n.q = n.proof.wdl().Score()
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
