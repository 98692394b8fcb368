//go:build !linux

package simd

import "unsafe"

func advise(unsafe.Pointer, uintptr) {}
