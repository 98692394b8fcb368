package mcts

import "damier/rules"

// shared finds the node of a position that several orders of moves lead to. Only positions right after a man's move or a
// capture are in it (see sharable): none before them can come again, so what repetition says of them and of all that
// follows is the same whatever the way there. No such position is reached twice on one path, so the tree with shared
// nodes has no circle.
//
// It is a hash table of node numbers with open addressing, at most half full.
type shared struct {
	on    bool
	slots []int32 // node + 1; 0 is empty
	used  int
}

// sharable reports whether several edges may lead to n.
func sharable(n *node) bool { return n.position.Quiet == 0 && n.state != terminal }

func (s *shared) reset() {
	clear(s.slots)
	s.used = 0
}

// hash returns the slot to begin with, for a number of slots that is a power of two.
func hash(p *rules.Position, slots int) int {
	counters := uint64(p.Endgame)<<8 | uint64(p.Road)
	return int((p.Key()^counters*0x9e3779b97f4a7c15)>>20) & (slots - 1)
}

// find returns the node of p, noNode if there is none.
func (s *shared) find(p *rules.Position, nodes []node) int32 {
	if len(s.slots) == 0 {
		return noNode
	}
	for i := hash(p, len(s.slots)); ; i = (i + 1) & (len(s.slots) - 1) {
		id := s.slots[i] - 1
		if id == noNode || nodes[id].position == *p {
			return id
		}
	}
}

// put enters node id, the position of which has none.
func (s *shared) put(nodes []node, id int32) {
	if s.used++; 2*s.used > len(s.slots) {
		all := s.slots
		s.slots = make([]int32, max(1<<10, 2*len(all)))
		for _, slot := range all {
			if slot != 0 {
				s.place(nodes, slot-1)
			}
		}
	}
	s.place(nodes, id)
}

func (s *shared) place(nodes []node, id int32) {
	i := hash(&nodes[id].position, len(s.slots))
	for s.slots[i] != 0 {
		i = (i + 1) & (len(s.slots) - 1)
	}
	s.slots[i] = id + 1
}
