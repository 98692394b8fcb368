package mcts

import (
	"slices"

	"damier/rules"
)

// gatherer is the state of one goroutine that gathers leaves.
type gatherer struct {
	flight  []flight     // the leaves handed out
	paths   []step       // the paths to these leaves
	counted bool         // the leaves are simulations; false for the evaluation of the root
	under   int16        // how often a path counts as in flight: 0 if no other leaf can be in flight, else 1
	priors  []float32    // memory of the leaves for priors and values
	moves   []rules.Move // memory of the leaves for moves
	leaves  []Leaf       // used by Run
	packed  []seed       // the evaluated leaves, see pack

	scout     *combinations // what searches for combinations while another goroutine holds the tree; nil to search while selecting
	scoutings []scouting    // the searches to do, or done
}

// flight is a leaf that was handed out for evaluation.
type flight struct {
	node        int32
	first, last int32 // its path in gatherer.paths
}

// pathOf returns the path to a leaf in flight.
func (h *gatherer) pathOf(f flight) []step { return h.paths[f.first:f.last] }

// mostEnds is the largest number of simulations ending in known results that one Gather backs up.
// In an ending there may be no others, and the caller must get a chance to look at the clock.
const mostEnds = 64

// mostFlying is the largest number of leaves in flight. With the simulations of one Gather that
// meet a leaf in flight, at most half as many and one, they do not exceed mostVirtual on an edge.
const mostFlying = 320

// Gather selects up to max leaves and appends them to dst. It may append fewer, or none: it backs
// up simulations that end in a terminal node at once, the root must be evaluated before anything
// else, and the Gumbel rule waits for all values before it halves. Every leaf counts as a visit of
// its path until Backup, so that the next selection finds another leaf. With max 1 there is only
// one leaf, and the search is exactly sequential.
//
// The memory of a leaf (Priors and the others) is valid until Backup. Call Backup before the next
// Gather.
func (s *Search) Gather(dst []Leaf, max int) []Leaf {
	if s.flying > 0 {
		panic("mcts: Gather before Backup")
	}
	under := int16(0)
	if max > 1 {
		under = 1
	}
	from := len(dst)
	dst = s.gather(&s.gatherer, dst, max, max/2, under)
	s.list(&s.gatherer, dst[from:])
	return dst
}

// gather is Gather for gatherer h, but does not list the moves of the leaves, see list. It gives
// up after meeting more than collisions leaves that are in flight already.
func (s *Search) gather(h *gatherer, dst []Leaf, max, collisions int, under int16) []Leaf {
	if s.Done() || max < 1 {
		return dst
	}
	h.priors, h.paths = h.priors[:0], h.paths[:0]
	h.under, h.counted = 0, true
	switch s.nodes[rootID].state {
	case unevaluated:
		h.counted = false
		s.path = s.path[:0]
		return s.handOut(h, dst, rootID)
	case inFlight:
		return dst
	}
	max = min(max, mostFlying-s.flying)
	collisions = min(collisions, mostFlying/2)
	h.under = under
	s.collide = s.collide[:0]
	for collided, ends := 0, 0; len(h.flight) < max && s.started < s.budget.Simulations && collided <= collisions && ends < mostEnds && !s.stop.Load(); {
		id := s.selectLeaf(h)
		if id == noNode {
			break
		}
		switch n := &s.nodes[id]; {
		case n.state == inFlight:
			s.pass(s.path, 1)
			s.collide = append(s.collide, s.path...)
			collided++
		case n.state == terminal || n.proof != NotProved:
			s.started++
			s.ended++
			ends++
			s.visit(id, s.path, float64(n.draw()), 0)
			if s.nodes[rootID].proof != NotProved {
				return s.uncollide(dst)
			}
		default:
			s.started++
			dst = s.handOut(h, dst, id)
			s.pass(s.path, under)
		}
	}
	return s.uncollide(dst)
}

// uncollide undoes the counts for leaves met while in flight, and returns dst.
func (s *Search) uncollide(dst []Leaf) []Leaf {
	s.pass(s.collide, -1)
	return dst
}

// handOut marks node id, to which s.path leads, as in flight for h, and appends its leaf to dst.
func (s *Search) handOut(h *gatherer, dst []Leaf, id int32) []Leaf {
	n := &s.nodes[id]
	n.state = inFlight
	first := int32(len(h.paths))
	h.paths = append(h.paths, s.path...)
	h.flight = append(h.flight, flight{id, first, int32(len(h.paths))})
	s.flying++
	// If h.priors grows here, leaves handed out before keep their part of the old array: Backup
	// reads the leaves, not h.priors.
	count := int(n.count)
	begin := len(h.priors)
	h.priors = slices.Grow(h.priors, 2*count)[:begin+2*count]
	clear(h.priors[begin:])
	return append(dst, Leaf{
		Position: s.position(id),
		Priors:   h.priors[begin : begin+count : begin+count],
		Values:   h.priors[begin+count : begin+2*count : begin+2*count],
	})
}

// list sets the moves of the leaves of h. It does not touch the tree, so another goroutine may
// hold it.
func (s *Search) list(h *gatherer, leaves []Leaf) {
	h.moves = h.moves[:0]
	for i := range leaves {
		l := &leaves[i]
		at := len(h.moves)
		h.moves = s.variant.AppendMoves(h.moves, l.Position) // if it grows, earlier leaves keep the old array
		l.Moves = h.moves[at:len(h.moves):len(h.moves)]
	}
}

// Backup takes back the leaves of the last Gather after their evaluation: all of them, in the same
// order.
func (s *Search) Backup(leaves []Leaf) {
	s.pack(&s.gatherer, leaves)
	s.backupGathered(&s.gatherer, leaves)
}

// backupGathered backs up the leaves of the last gather of h, evaluated and packed.
func (s *Search) backupGathered(h *gatherer, leaves []Leaf) {
	if len(leaves) != len(h.flight) {
		panic("mcts: Backup of other leaves than the last Gather's")
	}
	at := 0
	for i := range leaves {
		f := h.flight[i]
		end := at + len(leaves[i].Priors)
		draw := s.expand(f.node, &leaves[i], h.packed[at:end])
		at = end
		s.visit(f.node, h.pathOf(f), float64(draw), h.under)
	}
	if len(leaves) > 0 {
		h.flight = h.flight[:0]
		s.flying -= len(leaves)
		if h.counted {
			s.ended += len(leaves)
		} else {
			s.openRoot()
		}
	}
}

// pack checks the evaluations of the leaves of h and makes the seeds of their nodes. It does not
// touch the tree, so another goroutine may hold it.
func (s *Search) pack(h *gatherer, leaves []Leaf) {
	h.packed = h.packed[:0]
	for i := range leaves {
		l := &leaves[i]
		if len(l.Priors) != len(l.Moves) {
			panic("mcts: evaluation with another number of priors than moves")
		}
		sum := float32(0)
		for _, p := range l.Priors {
			sum += p
		}
		if w := l.Value; !(sum > 0.99 && sum < 1.01) || !(w.Win >= 0 && w.Draw >= 0 && w.Loss >= 0) ||
			!(w.Win+w.Draw+w.Loss > 0.99 && w.Win+w.Draw+w.Loss < 1.01) {
			panic("mcts: evaluation out of range")
		}
		for i := range l.Moves {
			h.packed = append(h.packed, seed{packPrior(l.Priors[i]), packValue(l.valueOf(i))})
		}
	}
}

// valueOf returns the evaluator's value of move i, or unknown.
func (l *Leaf) valueOf(i int) float32 {
	if !l.Valued {
		return unknown
	}
	q := l.Values[i]
	if !(q >= 0 && q <= 1) {
		panic("mcts: the value of a move is out of range")
	}
	return q
}

// expand stores the packed evaluation of a leaf in node id. It returns the draw probability.
func (s *Search) expand(id int32, l *Leaf, seeds []seed) (draw float32) {
	n := &s.nodes[id]
	value := l.Value
	if value.Score() > 1 { // rounding must not carry a mean out of [0,1]
		value = rules.WDL{Win: 1}
	}
	if int(id) < len(s.raws) {
		s.raws[id] = raw{value.Win, value.Draw}
	}
	n.state = expanded
	n.own = value.Score()
	n.q = n.own
	if id == rootID {
		s.raw = value
		s.setRootEdges(n, s.rootEdges(l))
		return value.Draw
	}
	n.seeds = int32(len(s.seeds))
	s.seeds = append(s.seeds, seeds...)
	s.chooseNext(id)
	return value.Draw
}

// rootEdges returns the edges of the root for the evaluation l.
func (s *Search) rootEdges(l *Leaf) []edge {
	s.newEdges = s.newEdges[:0]
	s.priors = append(s.priors[:0], l.Priors...)
	for i := range l.Moves {
		s.newEdges = append(s.newEdges, edge{packed: packPrior(l.Priors[i]), value: l.valueOf(i), move: uint16(i)})
	}
	return s.newEdges
}

// abandon drops the leaves of h that are in flight; a later simulation can select them again.
func (s *Search) abandon(h *gatherer) {
	for _, f := range h.flight {
		s.nodes[f.node].state = unevaluated
		s.pass(h.pathOf(f), -h.under)
		if h.counted {
			s.started--
		}
	}
	s.flying -= len(h.flight)
	h.flight = h.flight[:0]
}
