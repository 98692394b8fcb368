//go:build !linux

package pages

import "unsafe"

func advise(unsafe.Pointer, uintptr) {}
