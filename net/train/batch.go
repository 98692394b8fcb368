package train

import "damier/internal/simd"

// batch is what all operations of a graph share: how the samples are cut up, and who works on them.
type batch struct {
	*workers
	level  simd.Level
	blocks int // of sparseBlock samples
	parts  int // that the blocks are cut into for the gradients, whatever the number of workers

	recording *schedule // of the program that is being compiled
}

// maxParts bounds the memory of the parts' sums and the work of adding them up.
const maxParts = 4

func newBatch(w *workers, level simd.Level, blocks int) *batch {
	return &batch{workers: w, level: level, blocks: blocks, parts: min(blocks, maxParts)}
}

// slot returns where in activations, [part][value], the block is that a part is at.
func (b *batch) slot(activations []float32, part int) []float32 {
	return row(activations, b.parts, part)
}

// first reports whether the block is the first of its part.
func (b *batch) first(part, block int) bool {
	first, _ := b.part(part)
	return block == first
}

// part returns the blocks [first, end) of part i.
func (b *batch) part(i int) (first, end int) {
	return i * b.blocks / b.parts, (i + 1) * b.blocks / b.parts
}
