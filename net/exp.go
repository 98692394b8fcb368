package net

import "math"

// exp returns e to the x for x <= 0, to a relative error of 2e-7; 0 below -87, where float32 loses its
// precision, and NaN for NaN. Each operation is rounded by itself, so that it gives the same bits on every
// machine, which math.Exp does not promise.
//
// x is split into n*ln2 + r with |r| <= ln2/2; ln2 in two parts, the first with few enough bits that n times
// it is exact (Cody and Waite, Software Manual for the Elementary Functions, 1980, ch. 6). e to the r is its
// Taylor series to the seventh power.
func exp(x float32) float32 {
	const high, low = 0.693359375, -2.12194440e-4
	if x < -87 {
		return 0
	}
	n := float32(int32(float32(x*math.Log2E) - 0.5)) // rounds, as x is not positive
	r := float32(x-float32(n*high)) - float32(n*low)
	y := float32(1.0 / 5040)
	y = float32(y*r) + 1.0/720
	y = float32(y*r) + 1.0/120
	y = float32(y*r) + 1.0/24
	y = float32(y*r) + 1.0/6
	y = float32(y*r) + 0.5
	y = float32(y*r) + 1
	y = float32(y*r) + 1
	return y * math.Float32frombits(uint32(int32(n)+127)<<23)
}
