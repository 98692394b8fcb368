package mcts

import (
	"math"

	"damier/rules"
)

// selectLeaf goes down from the root and returns the node where the simulation ends: terminal, not yet
// evaluated, or in flight. It returns noNode when there is nothing to select now: the tree is full, or
// the root waits for values.
func (s *Search) selectLeaf() int32 {
	e := s.rootEdge()
	if e == noNode {
		return noNode
	}
	id, depth := rootID, 0
	for {
		child := s.edges[e].child
		if child == noNode {
			if child = s.grow(id, e); child == noNode {
				return noNode
			}
		}
		n := &s.nodes[child]
		depth += 1 + int(n.forced)
		if n.state != expanded {
			s.depth = max(s.depth, depth)
			return child
		}
		id = child
		e = s.bestEdge(n)
	}
}

// bestEdge returns the edge of an expanded node that PUCT goes by: the highest value plus
// CPuct * prior * sqrt(visits of the node) / (1 + visits of the edge) (Silver et al., Science 2018).
func (s *Search) bestEdge(n *node) int32 {
	visits := float64(n.visits) + float64(n.virtual)
	explore := float32(s.cfg.CPuct * math.Sqrt(visits))
	unvisited := float32(n.sum/float64(n.visits) - max(s.cfg.FPU, 0))
	best, top := int32(0), float32(math.Inf(-1))
	edges := s.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		score := unvisited
		if e.visits > 0 {
			score = e.value
		}
		if score += explore * e.prior / float32(1+e.visits); score > top {
			best, top = int32(i), score
		}
	}
	return n.first + best
}

// grow makes the child of node id by edge e and returns it, noNode if the tree is full.
func (s *Search) grow(id, e int32) int32 {
	if len(s.nodes) >= s.cfg.MaxNodes {
		s.full = true
		return noNode
	}
	c := s.advance(id, e)
	c.parent, c.edge = id, e
	child := s.add(c, s.cfg.MaxNodes)
	s.edges[e].child = child
	return child
}

// advance plays the move of edge e in node id, and every forced move after it, and returns the node where
// that ends, without its parent. It appends the forced moves to s.line and the legal moves of the node,
// if it is not terminal, to s.moves.
func (s *Search) advance(id, e int32) node {
	c := node{
		first:    int32(len(s.moves)),
		line:     int32(len(s.line)),
		position: s.variant.Play(s.nodes[id].position, s.moves[e]),
	}
	trailed := false
	for {
		s.moves = s.variant.AppendMoves(s.moves, c.position)
		count := len(s.moves) - int(c.first)
		c.occurs = 1
		if c.position.Quiet >= 4 && count > 0 {
			if !trailed {
				s.trace(id, e, s.line[c.line:])
				trailed = true
			}
			c.occurs = s.occurrences(&c.position)
		}
		c.state, c.value = s.judge(&c.position, count, int(c.occurs))
		switch {
		case c.state == terminal:
			s.moves = s.moves[:c.first]
			return c
		case count != 1 || c.forced == maxForced:
			c.count = moveCount(count)
			return c
		}
		if trailed {
			s.trail = append(s.trail, c.position)
		}
		m := s.moves[c.first]
		s.moves = s.moves[:c.first]
		s.line = append(s.line, m)
		c.forced++
		c.position = s.variant.Play(c.position, m)
	}
}

// moveCount returns a number of legal moves as a node holds it. Games have some dozens, and composed positions
// with many ways to capture more than a byte holds.
func moveCount(n int) uint16 {
	if n > math.MaxUint16 {
		panic("mcts: more legal moves than a node holds")
	}
	return uint16(n)
}

// judge tells whether a position of the tree is the end of its line, and the value if so. The rules are
// asked in the order of [rules.Game].
func (s *Search) judge(p *rules.Position, moves, occurrences int) (state, rules.WDL) {
	if moves == 0 {
		outcome, _ := s.variant.Stuck(*p)
		return terminal, outcome.WDL(p.Turn)
	}
	if limit := s.variant.Draws.Repetition; limit > 0 && occurrences >= min(limit, s.cfg.RepetitionDraw) {
		return terminal, rules.WDL{Draw: 1}
	}
	if s.variant.DrawByCount(*p) != rules.NoReason {
		return terminal, rules.WDL{Draw: 1}
	}
	return unevaluated, rules.WDL{}
}

// trace sets s.trail to the positions that a position below node id can repeat: the game's, those of the
// path with its forced plies, and those after edge e of id and each but the last of the forced moves.
func (s *Search) trace(id, e int32, forced []rules.Move) {
	s.trail = append(s.trail[:0], s.history...)
	s.tracePath(id)
	p := s.variant.Play(s.nodes[id].position, s.moves[e])
	for _, m := range forced {
		s.trail = append(s.trail, p)
		p = s.variant.Play(p, m)
	}
}

// tracePath appends the positions from the root to node id, both included, to s.trail.
func (s *Search) tracePath(id int32) {
	n := &s.nodes[id]
	if id != rootID {
		s.tracePath(n.parent)
		p := s.variant.Play(s.nodes[n.parent].position, s.moves[n.edge])
		for _, m := range s.lineOf(n) {
			s.trail = append(s.trail, p)
			p = s.variant.Play(p, m)
		}
	}
	s.trail = append(s.trail, n.position)
}

// occurrences returns how often p has occurred when it comes after s.trail. A position returns after four
// plies at the earliest, and only by an even number; Quiet tells how far back it can be, unless it stands at
// its largest number.
func (s *Search) occurrences(p *rules.Position) uint8 {
	n, far := uint8(1), len(s.trail)
	if p.Quiet < math.MaxUint8 {
		far = min(far, int(p.Quiet))
	}
	for back := 4; back <= far && n < math.MaxUint8; back += 2 {
		if s.trail[len(s.trail)-back].Same(*p) {
			n++
		}
	}
	return n
}
