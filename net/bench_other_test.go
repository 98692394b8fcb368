//go:build !unix

package net

import "time"

var began = time.Now()

// cpuSeconds returns the time of day, for want of the processor time.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
