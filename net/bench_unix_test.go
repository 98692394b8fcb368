//go:build unix

package net

import "syscall"

// cpuSeconds returns the processor time this process has taken. Other work on
// the machine disturbs it less than the time of day.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
