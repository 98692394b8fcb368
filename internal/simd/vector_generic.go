package simd

func axpyGeneric(dst []float32, a float32, src []float32) {
	for i, v := range src {
		dst[i] += a * v
	}
}

func scaleGeneric(dst []float32, a float32, src []float32) {
	for i, v := range src {
		dst[i] = a * v
	}
}

func sumOfSquaresGeneric(x []float32) float32 {
	var sum float32
	for _, v := range x {
		sum += v * v
	}
	return sum
}

func dotGeneric(x, y []float32) float32 {
	var sum float32
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func clippedSquareGeneric(dst, x []float32) {
	for i, v := range x {
		v = min(max(v, 0), 1)
		dst[i] = v * v
	}
}

func clippedSquareGradGeneric(dst, x, w []float32, g float32) {
	for i, v := range x {
		d := 2 * v * w[i] * g
		if !(v > 0 && v < 1) {
			d = 0
		}
		dst[i] = d
	}
}

func clipGeneric(x []float32, most float32) {
	for i, v := range x {
		if v > most || v < -most {
			x[i] = min(max(v, -most), most)
		}
	}
}
