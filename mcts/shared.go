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

// slot is an entry of shared: the index of a node in the low bits, and above it a tag, bits of the
// hash that do not choose the slot. Node 0 means empty, because no edge leads to the root.
type slot uint32

// nodeBits is the number of bits of an index; maxNodes bounds it.
const nodeBits = 23

func (x slot) node() int32 { return int32(x & (1<<nodeBits - 1)) }

func (x slot) tag() uint32 { return uint32(x >> nodeBits) }

// sharable reports whether several edges may lead to node id.
func (t *tree) sharable(id int32) bool {
	return t.boards[id].Quiet == 0 && t.nodes[id].state != terminal
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
	return int(uint32(h)) & (len(s.slots) - 1), uint32(h >> (32 + nodeBits))
}

// prefetch asks the processor to load the slot where the search for p begins.
func (s *shared) prefetch(p *rules.Position) {
	if len(s.slots) > 0 {
		at, _ := s.start(hash(p))
		simd.Prefetch(&s.slots[at])
	}
}

// known returns the node of p, noNode if there is none.
func (t *tree) known(p *rules.Position) int32 {
	s := &t.shared
	if len(s.slots) == 0 {
		return noNode
	}
	packed, high := p.Pack()
	for i, tag := s.start(hash(p)); ; i = (i + 1) & (len(s.slots) - 1) {
		switch x := s.slots[i]; {
		case x == 0:
			return noNode
		case x.tag() == tag && t.is(x.node(), &packed, &high):
			return x.node()
		}
	}
}

// share enters node id, the newest of the tree, whose position must not be in the table.
func (t *tree) share(id int32) {
	s := &t.shared
	if s.used++; 4*s.used > 3*len(s.slots) {
		t.growShared(id)
	}
	p := t.position(id)
	s.place(&p, id)
}

func (s *shared) place(p *rules.Position, id int32) {
	i, tag := s.start(hash(p))
	for s.slots[i] != 0 {
		i = (i + 1) & (len(s.slots) - 1)
	}
	s.slots[i] = slot(tag)<<nodeBits | slot(id)
}

// growShared doubles the slots and enters the nodes before node end again. A slot does not hold
// the whole hash; to read all boards in their order is cheap.
func (t *tree) growShared(end int32) {
	s := &t.shared
	s.slots = simd.Large(make([]slot, max(1<<10, 2*len(s.slots))))
	for id := rootID + 1; id < end; id++ {
		if t.sharable(id) {
			p := t.position(id)
			s.place(&p, id)
		}
	}
}
