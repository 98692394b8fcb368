//go:build !purego

package simd

import "unsafe"

func (s *SparseSums) output(removed, added []uint16, weights []int16) int32 {
	n := s.net
	for _, i := range removed {
		_ = n.rows[int(i)*n.width]
	}
	for _, i := range added {
		_ = n.rows[int(i)*n.width]
	}
	return sparseAVX2(&n.rows[0], &s.lanes[0], unsafe.SliceData(removed), len(removed), unsafe.SliceData(added), len(added), &weights[0], n.width/SparseLanes, 2*n.width)
}
