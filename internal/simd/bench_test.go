package simd

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkVector runs the operations of training on as many numbers as a network of 32 units has
// weights, which the caches hold.
func BenchmarkVector(b *testing.B) {
	const n = 32 * 256
	rng := rand.New(rand.NewPCG(1, 2))
	x, y, z := random(rng, n).s, random(rng, n).s, random(rng, n).s
	v := make([]float32, n)
	step := testStep
	for _, level := range Levels() {
		for _, op := range []struct {
			name  string
			bytes int
			f     func()
		}{
			{"Axpy", 12 * n, func() { Axpy(level, z, 0.5, x) }},
			{"Dot", 8 * n, func() { Dot(level, x, y) }},
			{"SumOfSquares", 4 * n, func() { SumOfSquares(level, x) }},
			{"ClippedSquare", 8 * n, func() { ClippedSquare(level, z, x) }},
			{"ClippedSquareGrad", 12 * n, func() { ClippedSquareGrad(level, z, x, y, 0.5) }},
			{"AdamW", 28 * n, func() { step.Step(level, z, y, v, x) }},
		} {
			b.Run(op.name+"/"+level.String(), func(b *testing.B) {
				b.SetBytes(int64(op.bytes))
				b.ReportAllocs()
				for b.Loop() {
					op.f()
				}
			})
		}
	}
}
