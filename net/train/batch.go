package train

import "damier/internal/simd"

// batch is what all operations of a graph share: how the samples are divided into blocks, and the
// workers.
type batch struct {
	*workers
	level  simd.Level
	blocks int // number of blocks of sparseBlock samples
	// Number of parts into which the blocks are divided for the gradients; it does not depend on
	// the workers.
	parts int

	recording *schedule // of the program that is being compiled
}

// maxParts limits the memory for the sums of the parts, and the work of adding them up.
const maxParts = 4

func newBatch(w *workers, level simd.Level, blocks int) *batch {
	return &batch{workers: w, level: level, blocks: blocks, parts: min(blocks, maxParts)}
}

// slot returns the part of activations, [part][value], that holds the present block of a part.
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
