package simd

import (
	"testing"
	"unsafe"
)

func TestLines(t *testing.T) {
	for _, n := range []int{1, 2, 3, 32, 1000, 1 << 14} {
		lines := Lines(n)
		if len(lines) != n || uintptr(unsafe.Pointer(&lines[0]))%64 != 0 {
			t.Errorf("%d lines of %d, the first at %p", len(lines), n, &lines[0])
		}
		for i := range lines {
			Prefetch(&lines[i][0])
			if lines[i] != (Line{}) {
				t.Fatalf("line %d of %d is %v", i, n, lines[i])
			}
			lines[i][i%8] = 1
		}
	}
}
