package simd

import (
	"unsafe"

	"damier/internal/pages"
)

// Line is as much memory as the caches of processors move at a time.
type Line [8]uint64

// Lines returns n lines of zeros, each of them one in the caches: no line is in part of two. Many of them lie on large
// pages where the system has some.
func Lines(n int) []Line {
	room := pages.Large(make([]Line, n+1))
	words := int(-uintptr(unsafe.Pointer(&room[0])) % unsafe.Sizeof(Line{}) / 8) // to the next multiple of a line
	return unsafe.Slice((*Line)(unsafe.Pointer(&room[0][words])), n)
}
