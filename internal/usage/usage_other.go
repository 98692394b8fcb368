//go:build !unix

// Package usage reports the CPU time and memory that the process has used.
package usage

// CPU returns 0, because this system does not report it.
func CPU() float64 { return 0 }

// Resident returns 0, because this system does not report it.
func Resident() int64 { return 0 }
