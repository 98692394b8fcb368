package simd

import "math"

// stepGeneric is Step in plain Go.
func (p *AdamW) stepGeneric(w, m, v, g []float32) {
	c := p.constants()
	for i, x := range g {
		m[i] = c.beta1*m[i] + c.rest1*x
		v[i] = c.beta2*v[i] + c.rest2*(x*x)
		root := float32(math.Sqrt(float64(v[i]*c.inverse2))) + c.epsilon
		w[i] = c.keep*w[i] - c.rate*(m[i]/root)
	}
}

// adamWConstants are the numbers a step needs, worked out once. The assembly
// reads them in this order.
type adamWConstants struct {
	beta1    float32
	rest1    float32 // 1 - Beta1
	beta2    float32
	rest2    float32 // 1 - Beta2
	inverse2 float32 // 1 / Correction2
	epsilon  float32
	rate     float32 // Rate / Correction1
	keep     float32 // 1 - Rate*Decay
}

func (p *AdamW) constants() adamWConstants {
	return adamWConstants{
		beta1: p.Beta1, rest1: 1 - p.Beta1,
		beta2: p.Beta2, rest2: 1 - p.Beta2,
		inverse2: 1 / p.Correction2,
		epsilon:  p.Epsilon,
		rate:     p.Rate / p.Correction1,
		keep:     1 - p.Rate*p.Decay,
	}
}
