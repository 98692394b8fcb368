package simd

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise gives the whole pages between two addresses to the system as ones that may be large.
func advise(at unsafe.Pointer, size uintptr) {
	page := uintptr(unix.Getpagesize())
	skip := -uintptr(at) % page
	if skip >= size {
		return
	}
	whole := (size - skip) / page * page
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(at, skip)), whole), unix.MADV_HUGEPAGE)
}
