package simd

// The operations of this file take slices of any length, as long as their
// lengths agree; activations are [square][channel][Lanes], and several blocks
// are simply more squares. None allocates. Unless a doc comment says otherwise
// dst may be one of the sources, but must not overlap them in part.

// SumSquares sums over the squares of a block:
//
//	dst[c] = sum over s of src[s][c]
//
// dst is [channel][Lanes], src [squares][channel][Lanes], and they do not
// overlap. squares is at least 1.
func SumSquares(level Level, dst, src []float32, squares int) {
	checkSquares(len(src), len(dst), squares)
	copy(dst, src)
	for s := 1; s < squares; s++ {
		axpy(level, dst, 1, src[s*len(dst):][:len(dst)])
	}
}

// AddBroadcast adds the same to every square of a block:
//
//	dst[s][c] += scale * src[c]
//
// dst is [squares][channel][Lanes], src [channel][Lanes]. With dst zero it is
// the backward pass of SumSquares, with scale 1/squares that of the mean.
func AddBroadcast(level Level, dst, src []float32, squares int, scale float32) {
	checkSquares(len(dst), len(src), squares)
	for s := range squares {
		axpy(level, dst[s*len(src):][:len(src)], scale, src)
	}
}

// Broadcast sets every square of a block to the same:
//
//	dst[s][c] = scale * src[c]
//
// with the shapes of AddBroadcast.
func Broadcast(level Level, dst, src []float32, squares int, scale float32) {
	checkSquares(len(dst), len(src), squares)
	first := dst[:len(src)]
	scaleTo(level, first, scale, src)
	for s := 1; s < squares; s++ {
		copy(dst[s*len(src):], first)
	}
}

// SumLanes adds to each channel its sum over squares and boards:
//
//	dst[c] += sum over s and lanes l of src[s][c][l]
//
// dst is [channel], src [squares][channel][Lanes]. It is the gradient of a
// bias; squares may be those of several blocks.
func SumLanes(level Level, dst, src []float32, squares int) {
	checkSquares(len(src), len(dst)*Lanes, squares)
	sumLanes(level, dst, src, squares)
}

// ReLUMask is the backward pass of a ReLU: it sets dst[i] to dy[i] where the
// output y[i] was positive, and to 0 elsewhere.
func ReLUMask(level Level, dst, y, dy []float32) {
	checkLengths(len(dst), len(y), len(dy))
	reluMask(level, dst, y, dy)
}

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

// ClippedSquareGrad is the backward pass of a sum of ClippedSquare by the weights w, whose gradient is g: it sets dst[i] to
// 2*x[i]*w[i]*g where x[i] is within (0,1), and to 0 elsewhere.
func ClippedSquareGrad(level Level, dst, x, w []float32, g float32) {
	checkLengths(len(dst), len(x), len(w))
	clippedSquareGrad(level, dst, x, w, g)
}

// Clip sets x[i] to the nearest number within ±most.
func Clip(level Level, x []float32, most float32) { clip(level, x, most) }

func checkSquares(all, square, squares int) {
	if squares < 1 || all != squares*square {
		panic(badLength)
	}
}

func checkLengths(n int, others ...int) {
	for _, m := range others {
		if m != n {
			panic(badLength)
		}
	}
}
