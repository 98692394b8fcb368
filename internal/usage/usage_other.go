//go:build !unix

// Package usage tells what the process has used of the machine.
package usage

// CPU returns 0: this system does not tell.
func CPU() float64 { return 0 }

// Resident returns 0: this system does not tell.
func Resident() int64 { return 0 }
