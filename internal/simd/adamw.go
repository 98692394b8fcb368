package simd

// AdamW is one step of Adam with decoupled weight decay. Source: Loshchilov and
// Hutter, "Decoupled Weight Decay Regularization", ICLR 2019, algorithm 2, with
// the decay multiplied by the learning rate as usual.
type AdamW struct {
	Rate         float32 // learning rate, the schedule's factor included
	Beta1, Beta2 float32 // decay of the two moments, in [0,1)
	Epsilon      float32 // added to the root of the second moment
	Decay        float32 // weight decay, multiplied by Rate
	Correction1  float32 // 1 - Beta1^t for the t-th step, t from 1
	Correction2  float32 // 1 - Beta2^t
}

// Step changes w, m and v by the gradient g:
//
//	m  = Beta1*m + (1-Beta1)*g
//	v  = Beta2*v + (1-Beta2)*g*g
//	w -= Rate * (m/Correction1 / (sqrt(v/Correction2) + Epsilon) + Decay*w)
//
// All are of one length and do not overlap.
func (p *AdamW) Step(level Level, w, m, v, g []float32) {
	checkLengths(len(w), len(m), len(v), len(g))
	adamW(level, p, w, m, v, g)
}
