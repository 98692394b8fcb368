package mcts

import "damier/rules"

// batch is leaves that are evaluated together, from their selection to their backup. The goroutine
// that holds the tree writes all of it but the answer, which is written by the one that evaluates. A
// line of the cache that another core has written takes long to read, up to half a microsecond. So
// neither writes to the lines of the other, and a batch holds no more than the other must know.
type batch struct {
	flight  []flight // the leaves handed out
	paths   []step   // the paths to these leaves
	counted bool     // the leaves are simulations; false for the evaluation of the root
	under   int16    // how often a path counts as in flight: 0 if no other leaf can be in flight, else 1
	helper  bool     // evaluated while another goroutine holds the tree

	positions []rules.Position // of the leaves
	scoutings []scouting       // searches for combinations

	_ [128]byte
	answer
	_ [128]byte
}

// answer is what an evaluation finds out.
type answer struct {
	values []rules.WDL // of the leaves, for the side to move
	seeds  []seed      // of the moves of all leaves
	found  []int       // of each scouting the index of the first move of the combination; -1 for none
	err    error
}

// flight is a leaf that was handed out for evaluation.
type flight struct {
	node        int32
	first, last int32 // its path in batch.paths
}

// pathOf returns the path to a leaf in flight.
func (b *batch) pathOf(f flight) []step { return b.paths[f.first:f.last] }

// reset makes b a batch without leaves.
func (b *batch) reset(under int16) {
	b.flight, b.paths, b.positions, b.scoutings = b.flight[:0], b.paths[:0], b.positions[:0], b.scoutings[:0]
	b.counted, b.under = true, under
}
