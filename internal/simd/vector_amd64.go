//go:build !purego

package simd

// The assembly works on whole rows of Lanes values; plain Go handles the rest.

// rowsOf returns the whole rows in n values, and how many values they are.
func rowsOf(n int) (rows, values int) { return n / Lanes, n / Lanes * Lanes }

func axpy(level Level, dst []float32, a float32, src []float32) {
	rows, n := rowsOf(len(dst))
	if level == Generic || rows == 0 {
		axpyGeneric(dst, a, src)
		return
	}
	if level == AVX512 {
		axpyAVX512(&dst[0], a, &src[0], rows)
	} else {
		axpyAVX2(&dst[0], a, &src[0], rows)
	}
	axpyGeneric(dst[n:], a, src[n:])
}

func scaleTo(level Level, dst []float32, a float32, src []float32) {
	rows, n := rowsOf(len(dst))
	if level == Generic || rows == 0 {
		scaleGeneric(dst, a, src)
		return
	}
	if level == AVX512 {
		scaleAVX512(&dst[0], a, &src[0], rows)
	} else {
		scaleAVX2(&dst[0], a, &src[0], rows)
	}
	scaleGeneric(dst[n:], a, src[n:])
}

func sumOfSquares(level Level, x []float32) float32 {
	rows, n := rowsOf(len(x))
	if level == Generic || rows == 0 {
		return sumOfSquaresGeneric(x)
	}
	if level == AVX512 {
		return sumOfSquaresAVX512(&x[0], rows) + sumOfSquaresGeneric(x[n:])
	}
	return sumOfSquaresAVX2(&x[0], rows) + sumOfSquaresGeneric(x[n:])
}

func dot(level Level, x, y []float32) float32 {
	rows, n := rowsOf(len(x))
	if level == Generic || rows == 0 {
		return dotGeneric(x, y)
	}
	if level == AVX512 {
		return dotAVX512(&x[0], &y[0], rows) + dotGeneric(x[n:], y[n:])
	}
	return dotAVX2(&x[0], &y[0], rows) + dotGeneric(x[n:], y[n:])
}

func clippedSquare(level Level, dst, x []float32) {
	rows, n := rowsOf(len(x))
	if level == Generic || rows == 0 {
		clippedSquareGeneric(dst, x)
		return
	}
	if level == AVX512 {
		clippedSquareAVX512(&dst[0], &x[0], rows)
	} else {
		clippedSquareAVX2(&dst[0], &x[0], rows)
	}
	clippedSquareGeneric(dst[n:], x[n:])
}

func clippedSquareGrad(level Level, dst, x, w []float32, g float32) {
	rows, n := rowsOf(len(x))
	if level == Generic || rows == 0 {
		clippedSquareGradGeneric(dst, x, w, g)
		return
	}
	if level == AVX512 {
		clippedSquareGradAVX512(&dst[0], &x[0], &w[0], g, rows)
	} else {
		clippedSquareGradAVX2(&dst[0], &x[0], &w[0], g, rows)
	}
	clippedSquareGradGeneric(dst[n:], x[n:], w[n:], g)
}

func clip(level Level, x []float32, most float32) {
	rows, n := rowsOf(len(x))
	if level == Generic || rows == 0 {
		clipGeneric(x, most)
		return
	}
	if level == AVX512 {
		clipAVX512(&x[0], most, rows)
	} else {
		clipAVX2(&x[0], most, rows)
	}
	clipGeneric(x[n:], most)
}

func adamW(level Level, p *AdamW, w, m, v, g []float32) {
	rows, n := rowsOf(len(w))
	if level == Generic || rows == 0 {
		p.stepGeneric(w, m, v, g)
		return
	}
	c := p.constants()
	if level == AVX512 {
		adamWAVX512(&w[0], &m[0], &v[0], &g[0], &c.beta1, rows)
	} else {
		adamWAVX2(&w[0], &m[0], &v[0], &g[0], &c.beta1, rows)
	}
	p.stepGeneric(w[n:], m[n:], v[n:], g[n:])
}
