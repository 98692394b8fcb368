package train

import (
	"errors"
	"math"
)

// ErrNotFinite is wrapped by the error of [Trainer.Step] when the loss or the gradient is infinite or not a
// number. The weights are as they were before the step.
var ErrNotFinite = errors.New("not finite")

// Loss is what a step or an evaluation found. Entropies and losses are in nats, means over the rows weighted
// with their weight; those of the policy over the rows that have a policy target.
type Loss struct {
	Policy float64 // cross-entropy of the move probabilities against the target; 0 if no row has one
	Value  float64 // cross-entropy of win, draw and loss against the target

	TargetEntropy float64 // of the policy targets: what Policy cannot go below
	ValueEntropy  float64 // of the mean value target: Value of the best constant guess
	PolicyTop1    float64 // share of rows whose likeliest move is that of the target, in [0,1]

	GradNorm float64 // Euclidean norm of the gradient before clipping; 0 for an evaluation
}

// finite reports whether the loss is a number.
func (l *Loss) finite() bool {
	x := l.Policy + l.Value + l.GradNorm
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// rowLoss is the loss of one row.
type rowLoss struct {
	policy, entropy, value float64
	top                    bool // the likeliest move is that of the target
}

// totals are sums over rows, in float64 and in the order of the rows.
type totals struct {
	policyWeight, policy, entropy, top float64
	valueWeight, value                 float64
	outcome                            [3]float64 // of the value targets
}

// loss returns the means.
func (t *totals) loss() Loss {
	var l Loss
	if t.policyWeight != 0 {
		l.Policy = t.policy / t.policyWeight
		l.TargetEntropy = t.entropy / t.policyWeight
		l.PolicyTop1 = t.top / t.policyWeight
	}
	if t.valueWeight != 0 {
		l.Value = t.value / t.valueWeight
		for _, sum := range t.outcome {
			if p := sum / t.valueWeight; p > 0 {
				l.ValueEntropy -= p * math.Log(p)
			}
		}
	}
	return l
}

// add adds the sums of u.
func (t *totals) add(u *totals) {
	t.policyWeight += u.policyWeight
	t.policy += u.policy
	t.entropy += u.entropy
	t.top += u.top
	t.valueWeight += u.valueWeight
	t.value += u.value
	for k := range t.outcome {
		t.outcome[k] += u.outcome[k]
	}
}
