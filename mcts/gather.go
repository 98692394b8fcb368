package mcts

import "damier/rules"

// mostEnds is the largest number of simulations ending in known results that one gather backs up.
// In an ending there may be no others, and the caller must get a chance to look at the clock.
const mostEnds = 64

// mostFlying is the largest number of leaves in flight. With the simulations of one gather that
// meet a leaf in flight, at most half as many and one, they do not exceed mostVirtual on an edge.
const mostFlying = 320

// gather selects up to max leaves for b, which holds none. They may be fewer, or none: simulations
// that end in a terminal node are backed up at once, the root must be evaluated before anything else,
// the Gumbel rule waits for all values before it halves, and after more than collisions simulations
// that met a leaf in flight no other is begun. Every leaf counts as under visits of its path until
// backup, so that the next selection finds another leaf. If there is only one leaf at a time, under
// may be 0, and the search is exactly sequential.
func (s *Search) gather(b *batch, max, collisions int, under int16) {
	b.reset(under)
	if s.Done() || max < 1 {
		return
	}
	if s.nodes[rootID].state == unevaluated {
		b.counted, b.under = false, 0
		s.path = s.path[:0]
		s.handOut(b, rootID)
		return
	}
	max = min(max, mostFlying-s.flying)
	collisions = min(collisions, mostFlying/2)
	s.collide = s.collide[:0]
	for collided, ends := 0, 0; len(b.flight) < max && s.started < s.budget.Simulations && collided <= collisions && ends < mostEnds && !s.stop.Load(); {
		id := s.selectLeaf(b)
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
				s.uncollide()
				return
			}
		default:
			s.started++
			s.handOut(b, id)
			s.pass(s.path, under)
		}
	}
	s.uncollide()
}

// uncollide undoes the counts for leaves met while in flight.
func (s *Search) uncollide() { s.pass(s.collide, -1) }

// handOut marks node id, to which s.path leads, as in flight, and adds it to b.
func (s *Search) handOut(b *batch, id int32) {
	s.nodes[id].state = inFlight
	first := int32(len(b.paths))
	b.paths = append(b.paths, s.path...)
	b.flight = append(b.flight, flight{id, first, int32(len(b.paths))})
	b.positions = append(b.positions, s.position(id))
	s.flying++
}

// backup takes back b, evaluated: it expands the leaves and backs up their values. If the leaf is
// the root, plant takes it back.
func (s *Search) backup(b *batch) {
	at := 0
	for i, f := range b.flight {
		end := at + int(s.nodes[f.node].count)
		value := b.values[i]
		s.expand(f.node, value, b.seeds[at:end])
		at = end
		s.visit(f.node, b.pathOf(f), float64(value.Draw), b.under)
	}
	s.ended += len(b.flight)
	s.land(b)
}

// plant takes back b, whose leaf l is the root. The priors of the root are not rounded.
func (s *Search) plant(b *batch, l *Leaf) {
	value := b.values[0]
	s.raw = value
	s.judged(rootID, value)
	s.setRootEdges(&s.nodes[rootID], s.rootEdges(l))
	s.visit(rootID, nil, float64(value.Draw), 0)
	s.land(b)
	s.openRoot()
}

// land notes that the leaves of b are no longer in flight.
func (s *Search) land(b *batch) {
	s.flying -= len(b.flight)
	b.flight = b.flight[:0]
}

// judged stores the evaluation of node id.
func (s *Search) judged(id int32, value rules.WDL) {
	n := &s.nodes[id]
	if int(id) < len(s.raws) {
		s.raws[id] = raw{value.Win, value.Draw}
	}
	n.state = expanded
	n.own = value.Score()
	n.q = n.own
}

// expand stores the evaluation of node id, which is not the root.
func (s *Search) expand(id int32, value rules.WDL, seeds []seed) {
	s.judged(id, value)
	s.nodes[id].seeds = int32(len(s.seeds))
	s.seeds = append(s.seeds, seeds...)
	s.chooseNext(id)
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

// abandon drops the leaves of b that are in flight; a later simulation can select them again.
func (s *Search) abandon(b *batch) {
	for _, f := range b.flight {
		s.nodes[f.node].state = unevaluated
		s.pass(b.pathOf(f), -b.under)
		if b.counted {
			s.started--
		}
	}
	s.land(b)
}
