//go:build !amd64 || purego

package simd

func sparseBlock(Level, int) int { return SparseLanes }

func (s *SparseSums) output(removed, added []uint16, weights []int16) int32 {
	panic("simd: level cannot run on this machine")
}

func (s *SparseSums) peek(removed, added []uint16, weights []int16) int32 {
	panic("simd: level cannot run on this machine")
}

func (s *SparseSums) swaps(dst []int32, swaps []uint16, weights []int16) {
	panic("simd: level cannot run on this machine")
}
