//go:build !amd64 || purego

package simd

func sumRows(_ Level, dst, first, table []float32, rows []int32) {
	sumRowsGeneric(dst, first, table, rows)
}

func addToRows(_ Level, table []float32, rows []int32, src []float32) {
	addToRowsGeneric(table, rows, src)
}
