package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// reportSpeed reports the speed since cpuSeconds was start, in operations per
// second of processor time. A multiply-add counts as two operations, taps off
// the board as none. Compare with BenchmarkPeak of the same run.
func reportSpeed(b *testing.B, flops int, start float64) {
	b.ReportMetric(float64(flops)*float64(b.N)/(cpuSeconds()-start)/1e9, "GFLOPS")
}

// tapsOnBoard counts the taps of all squares that stay on the board.
func tapsOnBoard(l *Lattice) int {
	n := 0
	for _, row := range l.Neighbour {
		for _, q := range row {
			if q >= 0 {
				n++
			}
		}
	}
	return n
}

func BenchmarkPeak(b *testing.B) {
	for _, level := range Levels() {
		b.Run(level.String(), func(b *testing.B) {
			flops := 0
			start := cpuSeconds()
			for b.Loop() {
				flops = PeakLoop(level, 100_000)
			}
			reportSpeed(b, flops, start)
		})
	}
}

// BenchmarkForward runs the trunk of a network on the international board, one
// block: layers alternate between two buffers, and each second one adds the
// residual.
func BenchmarkForward(b *testing.B) {
	l := diagonal(b, 10, 10)
	for _, level := range Levels() {
		for _, size := range []struct{ channels, layers int }{{32, 4}, {48, 4}, {48, 6}, {64, 6}, {64, 8}} {
			b.Run(fmt.Sprintf("%s/%dx%d", level, size.channels, size.layers), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				var layers []*Conv
				for range size.layers {
					w := random(rng, l.Taps*size.channels*size.channels).s
					Scale(Generic, w, 0.05, w)
					c := NewConv(level, l, size.channels, size.channels)
					c.Pack(w)
					layers = append(layers, c)
				}
				bias := random(rng, size.channels).s
				x := random(rng, l.Squares*size.channels*Lanes).s
				y := make([]float32, len(x))
				b.ReportAllocs()
				start := cpuSeconds()
				for b.Loop() {
					for i := 0; i < len(layers); i += 2 {
						layers[i].Forward(y, x, bias, nil, true)
						layers[i+1].Forward(x, y, bias, x, true)
						// keep the values from growing over the iterations
						Scale(level, x, 0.5, x)
					}
				}
				reportSpeed(b, 2*size.layers*tapsOnBoard(l)*size.channels*size.channels*Lanes, start)
			})
		}
	}
}

// BenchmarkBackward runs one layer's gradient of the input (packing included)
// and of the weights, for a batch of 32 blocks.
func BenchmarkBackward(b *testing.B) {
	const blocks = 32
	l := diagonal(b, 10, 10)
	for _, level := range Levels()[len(Levels())-1:] {
		for _, channels := range []int{48, 64} {
			rng := rand.New(rand.NewPCG(1, 2))
			n := l.Squares * channels * Lanes
			x, dy := random(rng, blocks*n).s, random(rng, blocks*n).s
			dx := make([]float32, len(x))
			w := random(rng, l.Taps*channels*channels).s
			flops := 2 * blocks * tapsOnBoard(l) * channels * channels * Lanes
			b.Run(fmt.Sprintf("input/%s/%d", level, channels), func(b *testing.B) {
				c := NewConv(level, l, channels, channels)
				b.ReportAllocs()
				start := cpuSeconds()
				for b.Loop() {
					c.PackTransposed(w)
					for i := 0; i < len(x); i += n {
						c.Forward(dx[i:i+n], dy[i:i+n], nil, nil, false)
					}
				}
				reportSpeed(b, flops, start)
			})
			b.Run(fmt.Sprintf("weights/%s/%d", level, channels), func(b *testing.B) {
				g := NewConvGrad(level, l, channels, channels)
				b.ReportAllocs()
				start := cpuSeconds()
				for b.Loop() {
					g.Reset()
					g.AddBlocks(x, dy, blocks)
					g.Sum(w)
				}
				reportSpeed(b, flops, start)
			})
		}
	}
}

// BenchmarkDense runs a value head's dense layer, forward and gradient of the
// weights, for 32 blocks.
func BenchmarkDense(b *testing.B) {
	const blocks, ci, co = 32, 128, 64
	for _, level := range Levels()[len(Levels())-1:] {
		rng := rand.New(rand.NewPCG(1, 2))
		x, dy := random(rng, blocks*ci*Lanes).s, random(rng, blocks*co*Lanes).s
		y := make([]float32, len(dy))
		w := random(rng, ci*co).s
		flops := 2 * blocks * ci * co * Lanes
		b.Run("forward/"+level.String(), func(b *testing.B) {
			c := NewConv(level, Dense(), ci, co)
			c.Pack(w)
			b.ReportAllocs()
			start := cpuSeconds()
			for b.Loop() {
				for i := range blocks {
					c.Forward(y[i*co*Lanes:][:co*Lanes], x[i*ci*Lanes:][:ci*Lanes], nil, nil, false)
				}
			}
			reportSpeed(b, flops, start)
		})
		b.Run("weights/"+level.String(), func(b *testing.B) {
			g := NewConvGrad(level, Dense(), ci, co)
			b.ReportAllocs()
			start := cpuSeconds()
			for b.Loop() {
				g.AddBlocks(x, dy, blocks)
			}
			reportSpeed(b, flops, start)
		})
	}
}

// BenchmarkVector runs the operations around the convolutions, on 48 channels
// of 32 blocks; the step of AdamW on as many weights.
func BenchmarkVector(b *testing.B) {
	const channels, squares = 48, 50 * 32
	rng := rand.New(rand.NewPCG(1, 2))
	const n = squares * channels * Lanes
	x, y, z := random(rng, n).s, random(rng, n).s, random(rng, n).s
	v, ema := make([]float32, n), make([]float32, n)
	row := make([]float32, channels*Lanes)
	bias := make([]float32, channels)
	step := testStep
	for _, level := range Levels() {
		for _, op := range []struct {
			name  string
			bytes int
			f     func()
		}{
			{"ReLUMask", 12 * n, func() { ReLUMask(level, z, x, y) }},
			{"SumLanes", 4 * n, func() { SumLanes(level, bias, x, squares) }},
			{"SumSquares", 4 * n, func() { SumSquares(level, row, x, squares) }},
			{"AddBroadcast", 8 * n, func() { AddBroadcast(level, z, row, squares, 0) }},
			{"Axpy", 12 * n, func() { Axpy(level, z, 0.5, x) }},
			{"SumOfSquares", 4 * n, func() { SumOfSquares(level, x) }},
			{"AdamW", 36 * n, func() { step.Step(level, z, y, v, x, ema) }},
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
