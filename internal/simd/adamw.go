package simd

// AdamW is one step of Adam with decoupled weight decay and, beside it, an
// exponential moving average of the weights. Source: Loshchilov and Hutter,
// "Decoupled Weight Decay Regularization", ICLR 2019, algorithm 2, with the
// decay multiplied by the learning rate as usual.
type AdamW struct {
	Rate         float32 // learning rate, the schedule's factor included
	Beta1, Beta2 float32 // decay of the two moments, in [0,1)
	Epsilon      float32 // added to the root of the second moment
	Decay        float32 // weight decay, multiplied by Rate
	GradScale    float32 // what gradients are multiplied by first: clipping, loss scale; 1 for none
	Correction1  float32 // 1 - Beta1^t for the t-th step, t from 1
	Correction2  float32 // 1 - Beta2^t
	Average      float32 // decay of the moving average, in [0,1)
}

// Step changes w, m, v and ema by the gradient g:
//
//	h    = GradScale * g
//	m    = Beta1*m + (1-Beta1)*h
//	v    = Beta2*v + (1-Beta2)*h*h
//	w   -= Rate * (m/Correction1 / (sqrt(v/Correction2) + Epsilon) + Decay*w)
//	ema += (1-Average) * (w - ema)
//
// All are of one length and do not overlap. ema may be nil.
func (p *AdamW) Step(level Level, w, m, v, g, ema []float32) {
	if ema == nil {
		checkLengths(len(w), len(m), len(v), len(g))
	} else {
		checkLengths(len(w), len(m), len(v), len(g), len(ema))
	}
	adamW(level, p, w, m, v, g, ema)
}
