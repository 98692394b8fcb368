package train

import (
	"fmt"
	"math"
	"runtime"

	"damier/internal/simd"
)

// Config says how to train. The zero value means the defaults.
type Config struct {
	// Batch is the number of samples of a step, a multiple of simd.Lanes (32). Default 512.
	Batch int `json:"batch" toml:"batch"`

	// LearningRate is the rate after the warm-up, before the schedule's factor. Default 1e-3.
	LearningRate float64 `json:"learning_rate" toml:"learning_rate"`

	// Warmup is the number of steps in which the rate grows linearly from 0; -1 is none. Default 500.
	Warmup int `json:"warmup" toml:"warmup"`

	// WeightDecay is the part of a weight that goes at each step, times the rate; biases do not decay.
	// Negative is none. Default 0.01.
	WeightDecay float64 `json:"weight_decay" toml:"weight_decay"`

	// Clip is the longest gradient that is used as it is: the Euclidean norm over all parameters, beyond
	// which the gradient is shortened to it. Negative is no limit. Default 5.
	Clip float64 `json:"clip" toml:"clip"`

	// EMADecay is the part of the moving average of the weights that stays at each step, in (0,1). It grows
	// to that from 2/11 over the first steps, as (1+t)/(10+t), for the average to forget the random
	// weights. Default 0.995.
	EMADecay float64 `json:"ema_decay" toml:"ema_decay"`

	// PolicyWeight and ValueWeight are the factors of the two losses in their sum; negative is 0, which
	// switches a loss off. Default 1.
	PolicyWeight float64 `json:"policy_weight" toml:"policy_weight"`
	ValueWeight  float64 `json:"value_weight" toml:"value_weight"`

	// Threads is the number of goroutines that work at once. It does not change the result. Default
	// GOMAXPROCS.
	Threads int `json:"threads,omitempty" toml:"threads"`

	// Level names the instruction set of the kernels: "generic", "avx2" or "avx512". Default the best that
	// this machine has. Levels differ in the last bits of the result.
	Level string `json:"level,omitempty" toml:"level"`
}

// The moments' decay and the guard of the division, as in Kingma and Ba, "Adam", ICLR 2015.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// Resolve returns c with the defaults in the place of zeros. Resolving twice is resolving once.
func (c Config) Resolve() Config {
	set := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	if c.Batch == 0 {
		c.Batch = 512
	}
	if c.Warmup == 0 {
		c.Warmup = 500
	}
	set(&c.LearningRate, 1e-3)
	set(&c.WeightDecay, 0.01)
	set(&c.Clip, 5)
	set(&c.EMADecay, 0.995)
	set(&c.PolicyWeight, 1)
	set(&c.ValueWeight, 1)
	if c.Threads == 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	if c.Level == "" {
		c.Level = simd.Best().String()
	}
	return c
}

const maxBatch = 1 << 16

// Validate returns an error that names the first bad field, nil if there is none.
func (c Config) Validate() error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	r := c.Resolve()
	switch {
	case r.Batch < simd.Lanes || r.Batch > maxBatch || r.Batch%simd.Lanes != 0:
		return fmt.Errorf("train: Batch %d: want a multiple of %d from %d to %d", c.Batch, simd.Lanes, simd.Lanes, maxBatch)
	case !finite(r.LearningRate) || r.LearningRate < 0 || r.LearningRate > 1:
		return fmt.Errorf("train: LearningRate %g: want a number in (0, 1]", c.LearningRate)
	case !finite(r.WeightDecay) || r.WeightDecay > 1:
		return fmt.Errorf("train: WeightDecay %g: want at most 1, negative for none", c.WeightDecay)
	case !finite(r.Clip):
		return fmt.Errorf("train: Clip %g: want a finite number, negative for no limit", c.Clip)
	case !(r.EMADecay > 0 && r.EMADecay < 1):
		return fmt.Errorf("train: EMADecay %g: want a number between 0 and 1", c.EMADecay)
	case !finite(r.PolicyWeight):
		return fmt.Errorf("train: PolicyWeight %g: want a finite number, negative for 0", c.PolicyWeight)
	case !finite(r.ValueWeight):
		return fmt.Errorf("train: ValueWeight %g: want a finite number, negative for 0", c.ValueWeight)
	case r.PolicyWeight < 0 && r.ValueWeight < 0:
		return fmt.Errorf("train: PolicyWeight and ValueWeight are both off: nothing to train")
	case r.Threads < 1 || r.Threads > 1024:
		return fmt.Errorf("train: Threads %d: want 1 to 1024, 0 for one a core", c.Threads)
	}
	if _, err := simd.ParseLevel(r.Level); err != nil {
		return fmt.Errorf("train: Level: %w", err)
	}
	return nil
}
