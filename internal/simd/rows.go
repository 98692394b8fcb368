package simd

// SumRows sums rows of a table, the forward pass of a layer whose inputs are mostly zero and
// otherwise one:
//
//	dst = first + sum over i of table[rows[i]]
//
// dst and first have the length of a row, table is [rows][len(dst)], and dst overlaps neither.
// rows may be empty, and may contain a row several times. SumRows does not allocate.
func SumRows(level Level, dst, first, table []float32, rows []int32) {
	checkRows(len(dst), len(first), table, rows)
	sumRows(level, dst, first, table, rows)
}

// AddToRows adds src to rows of a table, the backward pass of SumRows:
//
//	table[rows[i]] += src for each i
//
// src has the length of a row and is no part of table, which is [rows][len(src)]. It does not
// allocate.
func AddToRows(level Level, table []float32, rows []int32, src []float32) {
	checkRows(len(src), len(src), table, rows)
	addToRows(level, table, rows, src)
}

// checkRows panics if a row is not in the table.
func checkRows(n, m int, table []float32, rows []int32) {
	if n < 1 || n != m || len(table)%n != 0 {
		panic(badLength)
	}
	count := uint32(len(table) / n)
	for _, i := range rows {
		if uint32(i) >= count {
			panic("simd: a row is not in the table")
		}
	}
}

func sumRowsGeneric(dst, first, table []float32, rows []int32) {
	n := len(dst)
	copy(dst, first)
	for _, i := range rows {
		axpyGeneric(dst, 1, table[int(i)*n:int(i+1)*n])
	}
}

func addToRowsGeneric(table []float32, rows []int32, src []float32) {
	n := len(src)
	for _, i := range rows {
		axpyGeneric(table[int(i)*n:int(i+1)*n], 1, src)
	}
}
