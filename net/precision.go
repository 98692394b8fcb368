package net

import (
	"fmt"

	"damier/internal/simd"
)

// Precision is the arithmetic that an Evaluator computes a network in.
type Precision int

// The precisions.
const (
	Float32 Precision = iota // floats of 32 bits: the reference
	Int8                     // integers of 8 bits in the trunk and the policy, see Quantize
)

var precisionNames = [...]string{Float32: "float32", Int8: "int8"}

// String returns the name that ParsePrecision understands, such as "int8".
func (p Precision) String() string {
	if p < 0 || int(p) >= len(precisionNames) {
		return fmt.Sprintf("Precision(%d)", int(p))
	}
	return precisionNames[p]
}

// ParsePrecision returns the precision called name: "float32", or "int8"; "" is float32.
func ParsePrecision(name string) (Precision, error) {
	for p, n := range precisionNames {
		if n == name || name == "" {
			return Precision(p), nil
		}
	}
	return Float32, fmt.Errorf("unknown precision %q: want float32 or int8", name)
}

// For returns the precision in which a network of this config is computed where p is asked for: an MLP is always
// computed in Float32, as what it does is to read its weights.
func (p Precision) For(c Config) Precision {
	if c.Resolve().Arch == MLP {
		return Float32
	}
	return p
}

// NewEvaluators returns n evaluators of m on the given level, in the precision that p is for it; see Precision.For. What
// they have in common is computed once.
func NewEvaluators(m *Model, level simd.Level, p Precision, n int) ([]*Evaluator, error) {
	var q *Quantized
	var err error
	if p.For(m.Config) == Int8 {
		if q, err = Quantize(m, nil); err != nil {
			return nil, err
		}
	}
	es := make([]*Evaluator, n)
	for i := range es {
		if q != nil {
			es[i], err = q.NewEvaluator(level)
		} else {
			es[i], err = NewEvaluator(m, level)
		}
		if err != nil {
			return nil, err
		}
	}
	return es, nil
}
