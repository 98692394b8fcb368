package mcts

import (
	"math"
	"slices"

	"damier/rules"
)

// selectLeaf goes down from the root and returns the node where the simulation ends: terminal, proved, not yet
// evaluated, or in flight. The way there is in s.path. It returns noNode when there is nothing to select now: the tree is
// full, or the root waits for values.
func (s *Search) selectLeaf() int32 {
	s.path = s.path[:0]
	e := s.rootEdge()
	if e == noNode {
		return noNode
	}
	id := rootID
	for {
		s.path = append(s.path, step{id, e})
		child := s.edges[e].child
		if child == noNode {
			if child = s.grow(); child == noNode {
				return noNode
			}
		}
		n := &s.nodes[child]
		if n.state != expanded || n.proof != NotProved {
			s.depth = max(s.depth, int(n.ply))
			return child
		}
		id = child
		e = s.bestEdge(n)
	}
}

// bestEdge returns the edge of an expanded node that PUCT goes by: the highest value plus
// CPuct * prior * sqrt(visits of the node) / (1 + visits of the edge) (Silver et al., Science 2018).
func (s *Search) bestEdge(n *node) int32 {
	explore := float32(s.cfg.CPuct * math.Sqrt(float64(n.visits)))
	untried := n.q - float32(max(s.cfg.FPU, 0))
	best, top := int32(0), lost
	edges := s.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		score := e.value
		if score == unknown {
			score = untried
		}
		if score += explore * e.prior / float32(1+e.visits); score > top {
			best, top = int32(i), score
		}
	}
	return n.first + best
}

// grow gives the last edge of s.path a child and returns it, noNode if the tree is full.
func (s *Search) grow() int32 {
	if len(s.nodes) >= s.cfg.MaxNodes {
		s.full = true
		return noNode
	}
	at := s.path[len(s.path)-1]
	n := &s.nodes[at.node]
	s.legal = s.variant.AppendMoves(s.legal[:0], n.position)
	c, forced := s.advance(s.path[:len(s.path)-1], n, s.legal[at.edge-n.first])
	if s.shared.on && sharable(&c) {
		if id := s.shared.find(&c.position, s.nodes); id != noNode {
			s.edges[at.edge].child = id
			return id
		}
	}
	c.ply = uint16(min(int(n.ply)+1+forced, math.MaxUint16))
	child := s.add(c, s.cfg.MaxNodes)
	s.edges[at.edge].child = child
	if s.shared.on && sharable(&c) {
		s.shared.put(s.nodes, child)
	}
	s.grown = child
	return child
}

// advance plays m in node n, to which path leads, and every forced move after it, and returns the node where that ends
// and the number of forced moves. It leaves the legal moves of the new node in s.legal.
func (s *Search) advance(path []step, n *node, m rules.Move) (c node, forced int) {
	c.position = s.variant.Play(n.position, m)
	c.turn = c.position.Turn
	trailed := false
	for {
		s.legal = s.variant.AppendMoves(s.legal[:0], c.position)
		c.occurs = 1
		if c.position.Quiet >= 4 && len(s.legal) > 0 {
			if !trailed {
				s.trace(path, n, m, forced)
				trailed = true
			}
			c.occurs = s.occurrences(&c.position)
		}
		s.judge(&c, len(s.legal))
		if c.state == terminal {
			return c, forced
		}
		if len(s.legal) != 1 || forced == maxForced {
			c.count = moveCount(len(s.legal))
			return c, forced
		}
		if trailed {
			s.trail = append(s.trail, c.position)
		}
		forced++
		c.position = s.variant.Play(c.position, s.legal[0])
		c.turn = c.position.Turn
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

// judge makes c terminal if its position, with so many moves, is the end of its line. The rules are asked in the order
// of [rules.Game].
func (s *Search) judge(c *node, moves int) {
	p := &c.position
	draws := &s.variant.Draws
	switch {
	case moves == 0:
		outcome, _ := s.variant.Stuck(*p)
		c.value = outcome.WDL(p.Turn)
		c.proof = proofOf(c.value)
	case draws.Repetition > 0 && int(c.occurs) >= draws.Repetition, s.variant.DrawByCount(*p) != rules.NoReason:
		c.value = rules.WDL{Draw: 1}
		c.proof = ProvedDraw
	case draws.Repetition > 0 && int(c.occurs) >= s.cfg.RepetitionDraw:
		c.value = rules.WDL{Draw: 1}
	default:
		return
	}
	c.state = terminal
	c.q = float32(s.worth(c))
}

// trace sets s.trail to the positions that one can repeat which path, then move m in node n and so many forced moves
// lead to: the game's, those of the path with its forced plies, and those after m and each but the last forced move.
// What lies before a man's move or a capture is left out.
func (s *Search) trace(path []step, n *node, m rules.Move, forced int) {
	s.trail = s.trail[:0]
	first := len(path)
	from := n
	for first > 0 && from.position.Quiet > 0 {
		first--
		from = &s.nodes[path[first].node]
	}
	if first == 0 {
		s.trail = append(s.trail, s.history...)
	}
	for _, at := range path[first:] {
		above := &s.nodes[at.node]
		s.traceEdge(above, at.edge)
	}
	s.trail = append(s.trail, n.position)
	p := s.variant.Play(n.position, m)
	for range forced {
		s.trail = append(s.trail, p)
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
		p = s.variant.Play(p, s.replies[0])
	}
}

// traceEdge appends the position of n and those on edge e, before its child, to s.trail.
func (s *Search) traceEdge(n *node, e int32) {
	s.trail = append(s.trail, n.position)
	end := s.nodes[s.edges[e].child].position
	s.replies = s.variant.AppendMoves(s.replies[:0], n.position)
	for p := s.variant.Play(n.position, s.replies[e-n.first]); p != end; p = s.variant.Play(p, s.replies[0]) {
		s.trail = append(s.trail, p)
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
	}
}

// appendForced appends the forced moves behind move m of node n up to its child c.
func (s *Search) appendForced(dst []rules.Move, n, c *node, m rules.Move) []rules.Move {
	for p := s.variant.Play(n.position, m); p != c.position; {
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
		dst = append(dst, s.replies[0])
		p = s.variant.Play(p, s.replies[0])
	}
	return dst
}

// find follows played moves from the root and returns the node they lead to; noNode if the tree has no such node, or if
// they end between two nodes, on a forced ply.
func (s *Search) find(played []rules.Move) int32 {
	id := rootID
	for len(played) > 0 {
		n := &s.nodes[id]
		s.legal = s.variant.AppendMoves(s.legal[:0], n.position)
		i := slices.Index(s.legal, played[0])
		if i < 0 || n.count == 0 || s.edges[n.first+int32(i)].child == noNode {
			return noNode
		}
		next := s.edges[n.first+int32(i)].child
		s.legal = s.appendForced(append(s.legal[:0], played[0]), n, &s.nodes[next], played[0])
		if len(s.legal) > len(played) || !slices.Equal(s.legal, played[:len(s.legal)]) {
			return noNode
		}
		played = played[len(s.legal):]
		id = next
	}
	return id
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
