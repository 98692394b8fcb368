package simd

import "unsafe"

// largeFrom is the smallest slice in bytes for which large pages are asked for. A smaller one
// holds too few of them.
const largeFrom = 8 << 20

// Large asks the system to put the memory of s, up to its capacity, on large pages, and returns s.
//
// A table that is read at random, such as a transposition table or a search tree, misses the
// processor's table of pages at nearly every read if it lies on pages of 4 KB. On pages of 2 MB it
// seldom does. Linux gives such pages to a program that asks for them, where transparent_hugepage
// is "madvise" (the default of Debian and Ubuntu) or "always". On other systems the call does
// nothing.
//
// It is to be called before the memory is written for the first time: pages that are in use
// already may stay small. The contents do not change. A system that refuses is no error, since the
// memory works anyway.
func Large[T any](s []T) []T {
	all := s[:cap(s)]
	if len(all) == 0 {
		return s
	}
	if size := uintptr(len(all)) * unsafe.Sizeof(all[0]); size >= largeFrom {
		advise(unsafe.Pointer(&all[0]), size)
	}
	return s
}
