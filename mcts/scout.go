package mcts

import "damier/rules"

// due reports whether it is time to search n for combinations, or for longer ones.
func (s *Search) due(n *node) bool {
	return n.flags&scoutedDeep == 0 && (n.flags&onWay != 0 || int(n.visits) >= deeper*s.cfg.Scout ||
		n.flags&scouted == 0 && int(n.visits) >= s.cfg.Scout)
}

// scout looks for a combination in node id, and raises the prior of its first move.
func (s *Search) scout(id int32) {
	offers := s.beginScout(id)
	if i, ok := s.combinations.find(s.position(id), offers); ok {
		s.favour(id, i)
	}
}

// beginScout marks node id as searched for combinations and returns how many offers these have at
// most. At the root, and inside a combination, they have any length.
func (s *Search) beginScout(id int32) (offers int) {
	n := &s.nodes[id]
	n.flags |= scouted
	if id == rootID || n.flags&onWay != 0 || int(n.visits) >= deeper*s.cfg.Scout {
		n.flags |= scoutedDeep
		return mostOffers
	}
	return fewOffers
}

// favour raises the prior of move i of node id, with which a combination begins.
func (s *Search) favour(id int32, i int) {
	place := s.edgeOf(id, i)
	if place == noEdge {
		place = s.promoteSeed(id, i)
	}
	e := s.edge(step{id, place})
	e.move |= offerBit
	if id == rootID {
		s.root.priors[place] = max(s.root.priors[place], favoured)
		return
	}
	e.packed = max(e.packed, packPrior(favoured)) // a greater prior has a greater code
}

// favoured is the least prior of a move that the scout found. The other moves keep their priors.
const favoured = 0.5

// promoteSeed makes an edge of the seed of move i of node id, so that PUCT chooses between it and the
// seed to try next. If it is that seed itself, there is no next until a move of the node is tried for
// the first time. It returns the index of the edge.
func (s *Search) promoteSeed(id int32, i int) int32 {
	t, n := &s.tree, &s.nodes[id]
	if n.next.prior != grownSeed && t.bestSeed(id) == i {
		n.next.prior = grownSeed
	}
	t.pushSeed(id, i)
	return int32(n.len) - 1
}

// markCombination marks the child of a step as inside a combination, if the step belongs to one;
// the child is then scouted at once. Inside a combination all captures of both sides belong to it.
func (s *Search) markCombination(at step, child int32, m rules.Move) {
	if s.edge(at).move&offerBit != 0 || s.nodes[at.node].flags&onWay != 0 && m.IsCapture() {
		s.nodes[child].flags |= onWay
	}
}

// scouting is a search for combinations in a node, which needs no tree.
type scouting struct {
	node     int32
	offers   int
	position rules.Position
}

// scoutLater adds the search for combinations in node id to b.
func (s *Search) scoutLater(b *batch, id int32) {
	offers := s.beginScout(id)
	b.scoutings = append(b.scoutings, scouting{id, offers, s.position(id)})
}

// favourAll raises the priors of the combinations that were found for b.
func (s *Search) favourAll(b *batch) {
	for i, best := range b.found {
		if best >= 0 {
			s.favour(b.scoutings[i].node, best)
		}
	}
}
