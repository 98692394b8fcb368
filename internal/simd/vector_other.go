//go:build !amd64 || purego

package simd

func axpy(_ Level, dst []float32, a float32, src []float32) { axpyGeneric(dst, a, src) }

func scaleTo(_ Level, dst []float32, a float32, src []float32) { scaleGeneric(dst, a, src) }

func sumOfSquares(_ Level, x []float32) float32 { return sumOfSquaresGeneric(x) }

func dot(_ Level, x, y []float32) float32 { return dotGeneric(x, y) }

func clippedSquare(_ Level, dst, x []float32) { clippedSquareGeneric(dst, x) }

func clippedSquareGrad(_ Level, dst, x, w []float32, g float32) {
	clippedSquareGradGeneric(dst, x, w, g)
}

func clip(_ Level, x []float32, most float32) { clipGeneric(x, most) }

func adamW(_ Level, p *AdamW, w, m, v, g []float32) { p.stepGeneric(w, m, v, g) }
