//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// words says whether this machine has AVX-512 for integers of 16 bits.
var words = cpu.X86.HasAVX512BW

// sparseBlock returns how many lanes of a network the kernel for it keeps in registers: as many as fit and divide the
// width. A block goes through all rows that change, so the fewer there are the better.
func sparseBlock(level Level, width int) int {
	most := 128
	if level == AVX512 && words {
		most = 256
	}
	for width%most != 0 {
		most /= 2
	}
	return most
}

func (s *SparseSums) output(removed, added []uint16, weights []int16) int32 {
	n := s.net
	for _, i := range removed {
		_ = n.rows[int(i)*n.width]
	}
	for _, i := range added {
		_ = n.rows[int(i)*n.width]
	}
	rows, sums, less, more := &n.rows[0], &s.lanes[0], unsafe.SliceData(removed), unsafe.SliceData(added)
	blocks, stride := n.width/n.block, 2*n.width
	wide := n.level == AVX512 && words
	switch {
	case wide && n.block == 256:
		return sparseAVX512x8(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	case wide && n.block == 128:
		return sparseAVX512x4(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	case wide:
		return sparseAVX512x2(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	case n.block == 128:
		return sparseAVX2x8(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	}
	return sparseAVX2x4(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
}
