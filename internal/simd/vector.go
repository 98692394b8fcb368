package simd

// The operations of this file take slices of any length, as long as their
// lengths agree. None allocates. Unless a doc comment says otherwise dst may be
// one of the sources, but must not overlap them in part.

// Axpy adds a multiple: dst[i] += a * src[i].
func Axpy(level Level, dst []float32, a float32, src []float32) {
	checkLengths(len(dst), len(src))
	axpy(level, dst, a, src)
}

// Scale multiplies: dst[i] = a * src[i].
func Scale(level Level, dst []float32, a float32, src []float32) {
	checkLengths(len(dst), len(src))
	scaleTo(level, dst, a, src)
}

// SumOfSquares returns the sum of x[i]*x[i], the square of x's Euclidean norm.
// It is NaN or infinite if x has such values.
func SumOfSquares(level Level, x []float32) float64 {
	// Pieces are short enough for float32 lanes, their sums are added in
	// float64.
	const piece = 4096
	sum := 0.0
	for len(x) > piece {
		sum += float64(sumOfSquares(level, x[:piece]))
		x = x[piece:]
	}
	return sum + float64(sumOfSquares(level, x))
}

// Dot returns the sum of x[i]*y[i].
func Dot(level Level, x, y []float32) float32 {
	checkLengths(len(x), len(y))
	return dot(level, x, y)
}

// ClippedSquare sets dst[i] to the square of x[i] clipped to [0,1], the activation of an NNUE.
func ClippedSquare(level Level, dst, x []float32) {
	checkLengths(len(dst), len(x))
	clippedSquare(level, dst, x)
}

// ClippedSquareGrad is the backward pass of a sum of ClippedSquare by the weights w, whose
// gradient is g: it sets dst[i] to 2*x[i]*w[i]*g where x[i] is within (0,1), and to 0 elsewhere.
func ClippedSquareGrad(level Level, dst, x, w []float32, g float32) {
	checkLengths(len(dst), len(x), len(w))
	clippedSquareGrad(level, dst, x, w, g)
}

// Clip sets x[i] to the nearest number within ±most.
func Clip(level Level, x []float32, most float32) { clip(level, x, most) }

// badLength is what a kernel panics with.
const badLength = "simd: slice of wrong length"

func checkLengths(n int, others ...int) {
	for _, m := range others {
		if m != n {
			panic(badLength)
		}
	}
}
