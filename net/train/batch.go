package train

import "damier/internal/simd"

// partSize is the number of samples of a part of a batch.
const partSize = 16

// batch is what all operations of a graph share: the parts of a batch of samples, and the workers.
// The parts do not depend on the workers.
type batch struct {
	*workers
	level simd.Level
	parts int // of partSize samples each; if there are fewer samples, the last parts have fewer or none

	recording *schedule // of the program that is being compiled
}

// slot returns the part of activations, [part][value].
func (b *batch) slot(activations []float32, part int) []float32 {
	return row(activations, b.parts, part)
}
