//go:build !amd64 || purego

package simd

func (n *SparseNet) output(inputs []uint16, weights []int16) int32 {
	panic("simd: level cannot run on this machine")
}
