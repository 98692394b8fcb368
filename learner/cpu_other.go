//go:build !unix

package learner

// processCPU returns 0: this system does not tell.
func processCPU() float64 { return 0 }

// residentBytes returns 0: this system does not tell.
func residentBytes() int64 { return 0 }
