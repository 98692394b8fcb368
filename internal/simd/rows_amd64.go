//go:build !purego

package simd

import "unsafe"

// rowBlocks returns how many blocks of wide lanes, and otherwise of Lanes, make up a row of n; 0
// if there is no kernel for such rows.
func rowBlocks(level Level, n, wide int) (blocks int, isWide bool) {
	switch {
	case level == Generic || n%Lanes != 0:
		return 0, false
	case n%wide == 0:
		return n / wide, true
	}
	return n / Lanes, false
}

// The lanes of the wide kernels.
const (
	wideRowsAVX512 = 128
	wideRowsAVX2   = 64
)

func sumRows(level Level, dst, first, table []float32, rows []int32) {
	most := wideRowsAVX2
	if level == AVX512 {
		most = wideRowsAVX512
	}
	blocks, wide := rowBlocks(level, len(dst), most)
	if blocks == 0 || len(table) == 0 {
		sumRowsGeneric(dst, first, table, rows)
		return
	}
	kernel := sumRowsAVX2x4
	switch {
	case level == AVX512 && wide:
		kernel = sumRowsAVX512x8
	case level == AVX512:
		kernel = sumRowsAVX512x2
	case wide:
		kernel = sumRowsAVX2x8
	}
	kernel(&dst[0], &first[0], &table[0], unsafe.SliceData(rows), len(rows), blocks, 4*len(dst))
}

func addToRows(level Level, table []float32, rows []int32, src []float32) {
	most := wideRowsAVX2
	if level == AVX512 {
		most = wideRowsAVX512
	}
	blocks, wide := rowBlocks(level, len(src), most)
	if blocks == 0 || len(table) == 0 {
		addToRowsGeneric(table, rows, src)
		return
	}
	kernel := addToRowsAVX2x4
	switch {
	case level == AVX512 && wide:
		kernel = addToRowsAVX512x8
	case level == AVX512:
		kernel = addToRowsAVX512x2
	case wide:
		kernel = addToRowsAVX2x8
	}
	kernel(&table[0], unsafe.SliceData(rows), len(rows), &src[0], blocks, 4*len(src))
}
