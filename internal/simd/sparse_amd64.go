//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// words says whether this machine has AVX-512 for integers of 16 bits.
var words = cpu.X86.HasAVX512BW

// sparseBlock returns the number of lanes of a network that its kernel keeps in registers: as many
// as fit and divide the width. A block processes all rows that change, so fewer blocks are faster.
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

// mustHave panics if the network has no such inputs.
func (n *SparseNet) mustHave(inputs []uint16) {
	for _, i := range inputs {
		if int(i) >= n.inputs {
			panic("simd: no such input")
		}
	}
}

func (s *SparseSums) output(removed, added []uint16, weights []int16) int32 {
	n := s.net
	n.mustHave(removed)
	n.mustHave(added)
	rows, sums, less, more := &n.rows[0], &s.lanes[0], unsafe.SliceData(removed), unsafe.SliceData(added)
	blocks, stride := n.width/n.block, 2*n.width
	wide := n.level == AVX512 && words
	switch {
	case wide && n.width%512 == 0:
		return sparseAVX512x16(rows, sums, less, len(removed), more, len(added), &weights[0], n.width/512, stride)
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

func (s *SparseSums) peek(removed, added []uint16, weights []int16) int32 {
	n := s.net
	n.mustHave(removed)
	n.mustHave(added)
	rows, sums, less, more := &n.rows[0], &s.lanes[0], unsafe.SliceData(removed), unsafe.SliceData(added)
	blocks, stride := n.width/n.block, 2*n.width
	wide := n.level == AVX512 && words
	switch {
	case wide && n.width%512 == 0:
		return sparsePeekAVX512x16(rows, sums, less, len(removed), more, len(added), &weights[0], n.width/512, stride)
	case wide && n.block == 256:
		return sparsePeekAVX512x8(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	case wide && n.block == 128:
		return sparsePeekAVX512x4(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	case wide:
		return sparsePeekAVX512x2(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	case n.block == 128:
		return sparsePeekAVX2x8(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
	}
	return sparsePeekAVX2x4(rows, sums, less, len(removed), more, len(added), &weights[0], blocks, stride)
}

func (s *SparseSums) swaps(dst []int32, swaps []uint16, weights []int16) {
	n := s.net
	n.mustHave(swaps)
	blocks, stride := n.width/n.block, 2*n.width
	wide := n.level == AVX512 && words
	switch {
	case wide && n.block == 256:
		sparseSwapsAVX512x8(&n.rows[0], &s.lanes[0], &swaps[0], len(dst), &weights[0], blocks, stride, &dst[0])
	case wide && n.block == 128:
		sparseSwapsAVX512x4(&n.rows[0], &s.lanes[0], &swaps[0], len(dst), &weights[0], blocks, stride, &dst[0])
	case wide:
		sparseSwapsAVX512x2(&n.rows[0], &s.lanes[0], &swaps[0], len(dst), &weights[0], blocks, stride, &dst[0])
	case n.block == 128:
		sparseSwapsAVX2x8(&n.rows[0], &s.lanes[0], &swaps[0], len(dst), &weights[0], blocks, stride, &dst[0])
	default:
		sparseSwapsAVX2x4(&n.rows[0], &s.lanes[0], &swaps[0], len(dst), &weights[0], blocks, stride, &dst[0])
	}
}
