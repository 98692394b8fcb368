package mcts

import (
	"damier/internal/simd"
	"damier/rules"
)

// shared finds the node of a position that several orders of moves reach. It holds only positions
// right after a man's move or a capture (see sharable). No earlier position can occur again after
// these, so what repetition says about them and all their successors does not depend on the path.
// No such position occurs twice on one path, so a tree with shared nodes has no cycle.
//
// It is a hash table of node indices with open addressing, at most three quarters full. A slot
// holds some bits of the hash, so that a search hardly ever looks at a wrong node.
type shared struct {
	on    bool
	slots []slot
	used  int
}

// slot is an entry of shared. Node 0 means empty, because no edge leads to the root.
type slot struct {
	node int32
	tag  uint32
}

// sharable reports whether several edges may lead to node id.
func (t *tree) sharable(id int32) bool {
	return t.boards[id].position.Quiet == 0 && t.nodes[id].state != terminal
}

func (s *shared) reset() {
	clear(s.slots)
	s.used = 0
}

// hash returns a hash of all fields of p, whose Quiet is 0.
func hash(p *rules.Position) uint64 {
	counters := uint64(p.Endgame)<<8 | uint64(p.Road)
	return p.Key() ^ counters*0x9e3779b97f4a7c15
}

// start returns the slot where the search for hash h begins, and the tag of h.
func (s *shared) start(h uint64) (at int, tag uint32) {
	return int(uint32(h)) & (len(s.slots) - 1), uint32(h)
}

// prefetch asks the processor to load the slot where the search for p begins.
func (s *shared) prefetch(p *rules.Position) {
	if len(s.slots) > 0 {
		at, _ := s.start(hash(p))
		simd.Prefetch(&s.slots[at])
	}
}

// find returns the node of p, noNode if there is none.
func (s *shared) find(p *rules.Position, boards []board) int32 {
	if len(s.slots) == 0 {
		return noNode
	}
	for i, tag := s.start(hash(p)); ; i = (i + 1) & (len(s.slots) - 1) {
		switch x := s.slots[i]; {
		case x.node == 0:
			return noNode
		case x.tag == tag && boards[x.node].position == *p:
			return x.node
		}
	}
}

// put enters node id for position p, which must not be in the table.
func (s *shared) put(p *rules.Position, id int32) {
	if s.used++; 4*s.used > 3*len(s.slots) {
		s.grow()
	}
	at, tag := s.start(hash(p))
	s.place(at, slot{id, tag})
}

func (s *shared) place(i int, x slot) {
	for s.slots[i].node != 0 {
		i = (i + 1) & (len(s.slots) - 1)
	}
	s.slots[i] = x
}

// grow doubles the slots. The tag of an entry determines its new place, because there are never
// more than 2^32 slots.
func (s *shared) grow() {
	old := s.slots
	s.slots = simd.Large(make([]slot, max(1<<10, 2*len(old))))
	for _, x := range old {
		if x.node != 0 {
			at, _ := s.start(uint64(x.tag))
			s.place(at, x)
		}
	}
}
