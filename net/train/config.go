package train

import (
	"fmt"
	"math"
	"runtime"

	"damier/internal/simd"
)

// Config holds the settings of training. The zero value means the defaults.
type Config struct {
	// LearningRate is the rate before it is multiplied by the factor of the schedule. Default
	// 1e-3.
	LearningRate float64

	// WeightDecay is the share of a weight that each step subtracts, multiplied by the rate.
	// Negative means none. Default 0.01.
	WeightDecay float64

	// Threads is the number of goroutines that work at once. It does not change the result.
	// Default GOMAXPROCS.
	Threads int

	// Level names the instruction set of the kernels: "generic", "avx2" or "avx512". Default the
	// best of this machine. Results of different levels differ in the last bits.
	Level string
}

// The decay of the moments and the term that avoids division by zero, as in Kingma and Ba, "Adam",
// ICLR 2015.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// Resolve returns c with zeros replaced by the defaults. Resolving twice gives the same as
// resolving once.
func (c Config) Resolve() Config {
	set := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&c.LearningRate, 1e-3)
	set(&c.WeightDecay, 0.01)
	if c.Threads == 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	if c.Level == "" {
		c.Level = simd.Best().String()
	}
	return c
}

// Validate returns an error that names the first bad field, nil if there is none.
func (c Config) Validate() error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	r := c.Resolve()
	switch {
	case !finite(r.LearningRate) || r.LearningRate < 0 || r.LearningRate > 1:
		return fmt.Errorf("train: LearningRate %g: want a number in (0, 1]", c.LearningRate)
	case !finite(r.WeightDecay) || r.WeightDecay > 1:
		return fmt.Errorf("train: WeightDecay %g: want at most 1, negative for none", c.WeightDecay)
	case r.Threads < 1 || r.Threads > 1024:
		return fmt.Errorf("train: Threads %d: want 1 to 1024, 0 for one a core", c.Threads)
	}
	if _, err := simd.ParseLevel(r.Level); err != nil {
		return fmt.Errorf("train: Level: %w", err)
	}
	return nil
}
