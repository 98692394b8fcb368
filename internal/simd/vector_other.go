//go:build !amd64 || purego

package simd

func axpy(_ Level, dst []float32, a float32, src []float32) { axpyGeneric(dst, a, src) }

func scaleTo(_ Level, dst []float32, a float32, src []float32) { scaleGeneric(dst, a, src) }

func relu(_ Level, dst, src []float32) { reluGeneric(dst, src) }

func reluMask(_ Level, dst, y, dy []float32) { reluMaskGeneric(dst, y, dy) }

func sumOfSquares(_ Level, x []float32) float32 { return sumOfSquaresGeneric(x) }

func sumLanes(_ Level, dst, src []float32, squares int) { sumLanesGeneric(dst, src, squares) }

func adamW(_ Level, p *AdamW, w, m, v, g, ema []float32) { p.stepGeneric(w, m, v, g, ema) }
