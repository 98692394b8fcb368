package rules

import "testing"

// BenchmarkPerft counts the start position at depth 7, 1,049,442 leaves, on one core.
func BenchmarkPerft(b *testing.B) {
	b.ReportAllocs()
	var leaves uint64
	for b.Loop() {
		leaves += International.Perft(International.Start(), 8)
	}
	b.ReportMetric(float64(leaves)/1e6/b.Elapsed().Seconds(), "Mleaves/s")
}
