package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRows compares the kernels with sums row by row, for widths that they know and others, with
// guards around what they write. The additions have one order, so the results are equal to the
// bit.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	numbers := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	for _, width := range []int{1, 31, 32, 64, 96, 128, 160, 256} {
		for _, count := range []int{0, 1, 2, 31} {
			const inputs, guard = 17, 5
			table, first := numbers(inputs*width+guard), numbers(width)
			rows := make([]int32, count)
			for i := range rows {
				rows[i] = int32(rng.IntN(inputs))
			}
			sum, changed := slices.Clone(first), slices.Clone(table)
			for _, i := range rows {
				for j := range width {
					sum[j] += table[int(i)*width+j]
					changed[int(i)*width+j] += first[j]
				}
			}
			for _, level := range Levels() {
				dst := numbers(width + guard)
				after := slices.Clone(dst[width:])
				SumRows(level, dst[:width], first, table[:inputs*width], rows)
				if !slices.Equal(dst[:width], sum) || !slices.Equal(dst[width:], after) {
					t.Errorf("%v: a sum of %d rows of %d is wrong", level, count, width)
				}
				to := slices.Clone(table)
				AddToRows(level, to[:inputs*width], rows, first)
				if !slices.Equal(to, changed) {
					t.Errorf("%v: %d rows of %d with something added are wrong", level, count, width)
				}
			}
		}
	}
}

// TestRowsRefused: a row that is not in the table is a broken promise.
func TestRowsRefused(t *testing.T) {
	for _, row := range []int32{-1, 2} {
		for name, f := range map[string]func(){
			"SumRows":   func() { SumRows(Best(), make([]float32, 32), make([]float32, 32), make([]float32, 64), []int32{row}) },
			"AddToRows": func() { AddToRows(Best(), make([]float32, 64), []int32{row}, make([]float32, 32)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s took row %d of 2", name, row)
					}
				}()
				f()
			}()
		}
	}
}

// An operation is a sum of 30 rows, or as much added to 30 rows.
func BenchmarkRows(b *testing.B) {
	const width, inputs = 128, 201
	table, row := make([]float32, inputs*width), make([]float32, width)
	rows := make([]int32, 30)
	for i := range rows {
		rows[i] = int32(i * 6)
	}
	for _, level := range Levels() {
		b.Run(fmt.Sprintf("Sum/%v", level), func(b *testing.B) {
			dst := make([]float32, width)
			for b.Loop() {
				SumRows(level, dst, row, table, rows)
			}
		})
		b.Run(fmt.Sprintf("Add/%v", level), func(b *testing.B) {
			for b.Loop() {
				AddToRows(level, table, rows, row)
			}
		})
	}
}
