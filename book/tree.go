package book

import (
	"container/heap"
	"encoding/binary"
	"slices"

	"damier/rules"
)

// tree is the graph of positions that grows. Node 0 is the start.
//
// An edge is followed only if its move makes progress, a man's advance or a capture, so there is
// no way back. After a move of a king the position keeps the score of its own search.
type tree struct {
	v        *rules.Variant
	weight   float64
	nodes    []node
	index    map[uint64]int
	expanded int
	plies    int
	game     *rules.Game // for the ends of games
}

type node struct {
	position rules.Position // without counters
	key      uint64
	score    Score
	plies    int    // the smallest number of moves from the start
	edges    []edge // none before the expansion
	parents  []int
}

type edge struct {
	to     int   // the node after the move; -1 if the game is over there
	score  Score // for the side to move there, if the edge is not followed
	follow bool
}

func newTree(v *rules.Variant, weight float64) *tree {
	start := bare(v.Start())
	t := &tree{v: v, weight: weight, index: map[uint64]int{}, game: rules.NewGame(v)}
	t.add(start, 0)
	return t
}

// add returns the node of a position, and whether it is new.
func (t *tree) add(p rules.Position, plies int) (int, bool) {
	key := Key(t.v, p)
	if n, known := t.index[key]; known {
		t.nodes[n].plies = min(t.nodes[n].plies, plies)
		return n, false
	}
	n := len(t.nodes)
	t.index[key] = n
	t.nodes = append(t.nodes, node{position: p, key: key, plies: plies})
	t.plies = max(t.plies, plies)
	return n, true
}

// value returns the score of an edge for the side that moves.
func (t *tree) value(e edge) Score {
	if e.follow {
		return t.nodes[e.to].score.flip()
	}
	if e.to >= 0 && len(t.nodes[e.to].edges) == 0 {
		return t.nodes[e.to].score.flip() // of its own search
	}
	return e.score.flip()
}

// expand adds the positions after all moves of n. It appends the new ones to fresh: they need a
// score.
func (t *tree) expand(n int, fresh []int) []int {
	p, plies := t.nodes[n].position, t.nodes[n].plies+1
	var edges []edge
	for _, m := range t.v.AppendMoves(nil, p) {
		after := t.v.Play(p, m)
		if score, over := ended(t.game, after); over {
			edges = append(edges, edge{to: -1, score: score})
			continue
		}
		to, isNew := t.add(bare(after), plies)
		if isNew {
			fresh = append(fresh, to)
		}
		e := edge{to: to, score: t.nodes[to].score, follow: after.Quiet == 0}
		if e.follow {
			t.nodes[to].parents = append(t.nodes[to].parents, n)
		}
		edges = append(edges, e)
	}
	t.nodes[n].edges = edges
	t.expanded++
	return fresh
}

// raise takes the scores of the expanded nodes from those after them, and goes on upwards.
func (t *tree) raise(changed []int) {
	for _, n := range changed {
		for i, e := range t.nodes[n].edges {
			if !e.follow && e.to >= 0 && len(t.nodes[e.to].edges) == 0 {
				t.nodes[n].edges[i].score = t.nodes[e.to].score
			}
		}
	}
	queue := slices.Clone(changed)
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		best := Score(0)
		for _, e := range t.nodes[n].edges {
			best = max(best, t.value(e))
		}
		if best == t.nodes[n].score {
			continue
		}
		t.nodes[n].score = best
		queue = append(queue, t.nodes[n].parents...)
	}
}

// round returns the number of nodes that are expanded together. It does not depend on the cores,
// so neither does the book.
func (t *tree) round() int { return max(8, t.expanded/50) }

// choose returns the nodes to expand next: those with the lowest priorities, which are lengths of
// shortest ways from the start. A move is as long as one ply plus weight times what it loses
// against the best; a forced move is as long as what it loses, nothing.
func (t *tree) choose() []int {
	if len(t.nodes[0].edges) == 0 {
		return []int{0}
	}
	distance := make(map[int]float64, len(t.nodes))
	done := make([]bool, len(t.nodes))
	q := &ways{{0, 0}}
	distance[0] = 0
	var chosen []int
	for want := t.round(); q.Len() > 0 && len(chosen) < want; {
		w := heap.Pop(q).(way)
		if done[w.to] {
			continue
		}
		done[w.to] = true
		x := &t.nodes[w.to]
		if len(x.edges) == 0 {
			if !x.score.decided() && x.plies < mostPlies {
				chosen = append(chosen, w.to)
			}
			continue
		}
		for _, e := range x.edges {
			if !e.follow {
				continue
			}
			length := w.length
			if len(x.edges) > 1 {
				length += 1 + t.weight*max(x.score.Expected()-t.value(e).Expected(), 0)
			}
			if old, known := distance[e.to]; !known || length < old {
				distance[e.to] = length
				heap.Push(q, way{e.to, length})
			}
		}
	}
	return chosen
}

// entries returns the positions as a file holds them.
func (t *tree) entries() []entry {
	all := make([]entry, len(t.nodes))
	for i, x := range t.nodes {
		all[i] = entry{x.key, uint16(x.score)}
		if len(x.edges) > 0 {
			all[i].value |= expandedBit
		}
	}
	return all
}

// way is a way from the start to a node.
type way struct {
	to     int
	length float64
}

// ways is a heap of ways, the shortest first, equally long ones by the number of the node.
type ways []way

func (w ways) Len() int { return len(w) }
func (w ways) Less(i, j int) bool {
	if w[i].length != w[j].length {
		return w[i].length < w[j].length
	}
	return w[i].to < w[j].to
}
func (w ways) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *ways) Push(x any)   { *w = append(*w, x.(way)) }
func (w *ways) Pop() any {
	old := *w
	last := old[len(old)-1]
	*w = old[:len(old)-1]
	return last
}

// at returns entry i of a file.
func (b *Book) at(i int) (uint64, uint16) {
	return binary.LittleEndian.Uint64(b.keys[8*i:]), binary.LittleEndian.Uint16(b.values[2*i:])
}
