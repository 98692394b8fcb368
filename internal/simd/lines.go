package simd

import "unsafe"

// Line is the amount of memory that caches of processors move at a time.
type Line [8]uint64

// Lines returns n lines of zeros, each aligned to one line of the caches, on large pages if they
// are many (see [Large]).
func Lines(n int) []Line {
	room := Large(make([]Line, n+1))
	// To the next multiple of a line.
	words := int(-uintptr(unsafe.Pointer(&room[0])) % unsafe.Sizeof(Line{}) / 8)
	return unsafe.Slice((*Line)(unsafe.Pointer(&room[0][words])), n)
}
