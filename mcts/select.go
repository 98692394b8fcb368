package mcts

import (
	"math"
	"slices"

	"damier/internal/simd"
	"damier/rules"
)

// selectLeaf descends from the root and returns the node where the simulation ends: terminal,
// proved, not yet evaluated, or in flight. s.path then holds the path to it. It returns noNode if
// nothing can be selected now: the tree is full, or the root waits for values.
func (s *Search) selectLeaf(b *batch) int32 {
	s.path = s.path[:0]
	e := s.rootEdge()
	if e == noEdge {
		return noNode
	}
	id := rootID
	for {
		s.path = append(s.path, step{id, e})
		child := noNode
		if e < int32(s.nodes[id].len) {
			child = s.edge(step{id, e}).child()
		}
		if child == noNode {
			if child = s.grow(); child == noNode {
				return noNode
			}
		}
		n := &s.nodes[child]
		if n.visits < fewVisits {
			simd.Prefetch(&s.boards[child])
		}
		if n.state != expanded || n.proof != NotProved {
			s.depth = max(s.depth, int(n.ply))
			return child
		}
		if s.combinations != nil && s.due(n) {
			if b.helper {
				s.scoutLater(b, child)
			} else {
				s.scout(child)
			}
		}
		if n.visits < fewVisits {
			simd.Prefetch(&s.seeds[n.seeds])
		}
		id = child
		e = s.bestEdge(&s.nodes[child])
	}
}

// fewVisits is the number of visits below which a simulation is likely to grow a node; what grow
// will read of it is then prefetched into the cache.
const fewVisits = 64

// bestEdge returns the index of the edge that PUCT chooses in an expanded node below the root.
// Among the tried edges and the next untried one it is the edge with the highest value + CPuct *
// prior * sqrt(visits of the node) / (1 + visits of the edge) (Silver et al., Science 2018), where
// CPuct may grow with the visits of the node ([Config].CPuctGrowth).
func (s *Search) bestEdge(n *node) int32 {
	explore := float32(s.explore.weight(n.visits))
	untried := n.q - float32(max(s.cfg.FPU, 0))
	best := int64(math.MinInt64)
	edges := s.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		score := e.value
		if score == unknown {
			score = untried
		}
		score += explore * e.prior() / float32(1+e.visits)
		best = max(best, ranked(score, mostMoves-i))
	}
	if n.next.prior != grownSeed {
		score := untried
		if n.next.value != noValue {
			score = unpackValue(n.next.value)
		}
		best = max(best, ranked(score+explore*unpackPrior(n.next.prior), mostMoves-len(edges)))
	}
	return mostMoves - int32(best&math.MaxUint16)
}

// ranked returns a number that is greater for a greater score, and of equal scores for a greater
// place in 0..65535, which is in its lowest 16 bits. The maximum of such numbers needs no branches,
// which the processor could not predict. The score is not NaN.
func ranked(score float32, place int) int64 {
	bits := int32(math.Float32bits(score))
	bits ^= bits >> 31 & math.MaxInt32 // negative numbers: the greater, the lower are their bits
	return int64(bits)<<16 | int64(place)
}

// grow makes a child for the last step of s.path, and its edge if that is the seed to try next. It
// returns the child, noNode if the tree is full.
func (s *Search) grow() int32 {
	if len(s.nodes) >= s.cfg.MaxNodes {
		s.full = true
		return noNode
	}
	at := s.path[len(s.path)-1]
	if n := &s.nodes[at.node]; at.edge == int32(n.len) {
		s.pushSeed(at.node, s.bestSeed(at.node))
		n.next.prior = grownSeed
	}
	m := s.moveOf(at)
	c, p, forced := s.advance(s.path[:len(s.path)-1], at.node, m)
	if n := &s.nodes[at.node]; at.node != rootID && n.next.prior == grownSeed {
		s.chooseNext(at.node) // before the look-up in the table, to give its prefetch time
	}
	share := s.shared.on && p.Quiet == 0 && c.state != terminal
	child := noNode
	if share {
		child = s.tree.known(&p)
	}
	if child == noNode {
		c.ply = uint8(min(int(s.nodes[at.node].ply)+1+forced, math.MaxUint8))
		child = s.add(&c, &p, s.cfg.MaxNodes)
		if share {
			s.tree.share(child)
		}
	}
	s.edge(at).setChild(child)
	if s.combinations != nil {
		s.markCombination(at, child, m)
	}
	return child
}

// moveOf returns the move of a step.
func (s *Search) moveOf(at step) rules.Move {
	i := s.edge(at).number()
	if at.node == rootID {
		return s.moves[i]
	}
	s.replies = s.variant.AppendMoves(s.replies[:0], s.position(at.node))
	return s.replies[i]
}

// advance plays m in node id, to which path leads, and every forced move after it. It returns the
// node reached and the number of forced moves.
func (s *Search) advance(path []step, id int32, m rules.Move) (c node, p rules.Position, forced int) {
	p = s.variant.Play(s.position(id), m)
	trailed := false
	for {
		if s.shared.on && p.Quiet == 0 {
			s.shared.prefetch(&p)
		}
		moves := s.variant.CountMoves(p)
		c.occurs = 1
		if p.Quiet >= 4 && moves > 0 {
			if !trailed {
				s.trace(path, id, m, forced)
				trailed = true
			}
			c.occurs = s.occurrences(&p)
		}
		if s.judge(&c, &p, moves); c.state == terminal {
			break
		}
		if moves != 1 || forced == maxForced {
			c.count = moveCount(moves)
			break
		}
		if trailed {
			s.trail = append(s.trail, p)
		}
		forced++
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
		p = s.variant.Play(p, s.replies[0])
	}
	c.turn = p.Turn
	return c, p, forced
}

// moveCount returns a number of legal moves in the type of node.count. Positions of games have
// some dozens; composed positions with many captures may have more than 255.
func moveCount(n int) uint16 {
	if n > mostMoves {
		panic("mcts: more legal moves than a node holds")
	}
	return uint16(n)
}

// judge makes c terminal if its position p, with the given number of legal moves, ends its line.
// It asks the rules in the order of [rules.Game].
func (s *Search) judge(c *node, p *rules.Position, moves int) {
	var result rules.WDL
	draws := &s.variant.Draws
	switch {
	case moves == 0:
		outcome, _ := s.variant.Stuck(*p)
		result = outcome.WDL(p.Turn)
		c.proof = proofOf(result)
	case draws.Repetition > 0 && int(c.occurs) >= draws.Repetition, s.variant.DrawByCount(*p) != rules.NoReason:
		result.Draw = 1
		c.proof = ProvedDraw
	case s.probes.prober != nil && s.probe(c, p, &result):
	case draws.Repetition > 0 && int(c.occurs) >= s.cfg.RepetitionDraw:
		result.Draw = 1
	default:
		return
	}
	c.state = terminal
	c.few[0].value = result.Draw // see node.draw
	c.own = result.Score()
	c.q = c.own
}

// trace sets s.trail to the earlier positions that a new position can repeat: those of the game,
// those of the path with its forced plies, and those after m and after each forced move but the
// last. It leaves out what lies before a man's move or a capture.
func (s *Search) trace(path []step, id int32, m rules.Move, forced int) {
	s.trail = s.trail[:0]
	first, from := len(path), id
	for first > 0 && s.boards[from].Quiet > 0 {
		first--
		from = path[first].node
	}
	if first == 0 {
		s.trail = append(s.trail, s.history...)
	}
	for _, at := range path[first:] {
		s.traceEdge(at)
	}
	p := s.position(id)
	s.trail = append(s.trail, p)
	p = s.variant.Play(p, m)
	for range forced {
		s.trail = append(s.trail, p)
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
		p = s.variant.Play(p, s.replies[0])
	}
}

// traceEdge appends to s.trail the position of a step's node and the positions on its edge before
// the child.
func (s *Search) traceEdge(at step) {
	p, end := s.position(at.node), s.position(s.edge(at).child())
	m := s.moveOf(at)
	for {
		s.trail = append(s.trail, p)
		if p = s.variant.Play(p, m); p == end {
			return
		}
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
		m = s.replies[0]
	}
}

// appendForced appends the forced moves after move m of node id, up to its child.
func (s *Search) appendForced(dst []rules.Move, id, child int32, m rules.Move) []rules.Move {
	end := s.position(child)
	for p := s.variant.Play(s.position(id), m); p != end; {
		s.replies = s.variant.AppendMoves(s.replies[:0], p)
		dst = append(dst, s.replies[0])
		p = s.variant.Play(p, s.replies[0])
	}
	return dst
}

// edgeOf returns the index of the edge of node id for its i-th legal move, noEdge if it has none.
func (s *Search) edgeOf(id int32, i int) int32 {
	for j, e := range s.edgesOf(&s.nodes[id]) {
		if e.number() == i {
			return int32(j)
		}
	}
	return noEdge
}

// noEdge is the index of an edge that does not exist.
const noEdge = int32(-1)

// find follows played moves from the root and returns the node reached. It returns noNode if the
// tree has no such node, or if the moves end between two nodes, on a forced ply.
func (s *Search) find(played []rules.Move) int32 {
	id := rootID
	for len(played) > 0 {
		s.legal = s.variant.AppendMoves(s.legal[:0], s.position(id))
		e := s.edgeOf(id, slices.Index(s.legal, played[0]))
		if e == noEdge {
			return noNode
		}
		next := s.edge(step{id, e}).child()
		if next == noNode {
			return noNode
		}
		s.legal = s.appendForced(append(s.legal[:0], played[0]), id, next, played[0])
		if len(s.legal) > len(played) || !slices.Equal(s.legal, played[:len(s.legal)]) {
			return noNode
		}
		played = played[len(s.legal):]
		id = next
	}
	return id
}

// occurrences returns how often p has occurred if it comes after s.trail. A position returns after
// four plies at the earliest, and only after an even number. Quiet bounds how far back it can be,
// unless it has its largest value.
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
