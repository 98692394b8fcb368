package mcts

import (
	"slices"

	"damier/internal/simd"
	"damier/rules"
)

// copySubtree copies to dst all nodes that can be reached in t from node id, in breadth-first
// order, without those never evaluated.
func (t *tree) copySubtree(id int32, dst *tree) {
	dst.reset()
	if cap(dst.nodes) < len(t.nodes) {
		*dst = tree{
			nodes:  simd.Large(make([]node, 0, cap(t.nodes))),
			boards: simd.Large(make([]rules.Packed, 0, cap(t.boards))),
			high:   simd.Large(make([]rules.HighWords, 0, cap(t.high))),
			draws:  simd.Large(make([]float64, 0, cap(t.draws))),
			raws:   simd.Large(make([]raw, 0, cap(t.raws))),
			wide:   t.wide,
			roots:  t.roots,
			edges:  simd.Large(make([]edge, 0, cap(t.edges))),
			seeds:  simd.Large(make([]seed, 0, cap(t.seeds))),
			shared: dst.shared,
			moved:  dst.moved,
		}
	}
	if t.shared.on {
		dst.moved = slices.Grow(dst.moved[:0], len(t.nodes))[:len(t.nodes)]
		clear(dst.moved)
	}
	ply := t.nodes[id].ply
	dst.copyNode(t, id)
	for i := 0; i < len(dst.nodes); i++ {
		n := dst.nodes[i] // a copy: the slab may move
		n.ply -= min(ply, n.ply)
		if n.state == expanded && (id != rootID || i > 0) {
			seeds := t.seeds[n.seeds : n.seeds+int32(n.count)]
			n.seeds = int32(len(dst.seeds))
			dst.seeds = append(dst.seeds, seeds...)
		}
		if int(n.len) > len(n.few) {
			old := t.edgesOf(&n)
			dst.setEdges(&n, old[:len(old)-1]) // setEdges leaves room for one more
			copy(dst.edgesOf(&n), old)
		}
		edges := dst.edgesOf(&n)
		for j := range edges {
			e := &edges[j]
			child := e.child()
			if child == noNode {
				continue
			}
			if t.nodes[child].visits == 0 {
				e.setChild(rootID) // none
				e.visits = 0
				continue
			}
			if t.shared.on && dst.moved[child] > 0 {
				e.setChild(dst.moved[child])
				continue
			}
			fresh := int32(len(dst.nodes))
			dst.copyNode(t, child)
			if t.shared.on && t.sharable(child) {
				dst.moved[child] = fresh
				dst.share(fresh)
			}
			e.setChild(fresh)
		}
		dst.nodes[i] = n
	}
}

// copyNode appends node id of src.
func (t *tree) copyNode(src *tree, id int32) {
	t.nodes = append(t.nodes, src.nodes[id])
	t.boards = append(t.boards, src.boards[id])
	if t.wide {
		t.high = append(t.high, src.high[id])
	}
	t.draws = append(t.draws, src.draws[id])
	t.raws = append(t.raws, src.raws[id])
}
