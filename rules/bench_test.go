package rules

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkPerft counts leaves on one core: the start position at depth 9 (41,022,423 leaves,
// mostly men) and twenty kings a side at depth 7.
func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name, fen string
		depth     int
	}{
		{"start", "W:W31-50:B1-20", 9},
		{"kings", "W:WK31-50:BK1-20", 7},
	} {
		b.Run(fmt.Sprintf("%s-%d", c.name, c.depth), func(b *testing.B) {
			p, err := ParseFEN(International, c.fen)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var leaves uint64
			for b.Loop() {
				leaves += International.Perft(p, c.depth)
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds(), "leaves/s")
		})
	}
}

// benchmarkPositions are the positions of a few random games.
func benchmarkPositions() []Position {
	rng := rand.New(rand.NewPCG(12, 12))
	var positions []Position
	for g := NewGame(International); len(positions) < 1000; g.Reset(International.Start()) {
		for !g.Over() {
			positions = append(positions, g.Position())
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				panic(err)
			}
		}
	}
	return positions[:1000]
}

// BenchmarkAppendMoves generates the legal moves of 1000 positions.
func BenchmarkAppendMoves(b *testing.B) {
	positions := benchmarkPositions()
	var room [128]Move
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range positions {
			International.AppendMoves(room[:0], p)
		}
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "positions/s")
}

// BenchmarkReferenceMoves is BenchmarkAppendMoves for the slow twin.
func BenchmarkReferenceMoves(b *testing.B) {
	positions := benchmarkPositions()
	for b.Loop() {
		for _, p := range positions {
			International.ReferenceMoves(p)
		}
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "positions/s")
}

// BenchmarkPlay plays every legal move of 1000 positions.
func BenchmarkPlay(b *testing.B) {
	positions := benchmarkPositions()
	moves := make([][]Move, len(positions))
	total := 0
	for i, p := range positions {
		moves[i] = International.AppendMoves(nil, p)
		total += len(moves[i])
	}
	b.ReportAllocs()
	var sink Position
	for b.Loop() {
		for i, p := range positions {
			for _, m := range moves[i] {
				sink = International.Play(p, m)
			}
		}
	}
	_ = sink
	b.ReportMetric(float64(b.N)*float64(total)/b.Elapsed().Seconds(), "moves/s")
}

// BenchmarkAppendNext is BenchmarkPlay by [Variant.AppendNext], which also finds what the side to
// move can do.
func BenchmarkAppendNext(b *testing.B) {
	positions := benchmarkPositions()
	moves := make([][]Move, len(positions))
	total := 0
	for i, p := range positions {
		moves[i] = International.AppendMoves(nil, p)
		total += len(moves[i])
	}
	b.ReportAllocs()
	var room []Next
	for b.Loop() {
		for i := range positions {
			room = International.AppendNext(room[:0], &positions[i], moves[i])
		}
	}
	b.ReportMetric(float64(b.N)*float64(total)/b.Elapsed().Seconds(), "moves/s")
}

// BenchmarkGame plays random games to their end.
func BenchmarkGame(b *testing.B) {
	rng := rand.New(rand.NewPCG(13, 13))
	g := NewGame(International)
	plies := 0
	b.ReportAllocs()
	for b.Loop() {
		g.Reset(International.Start())
		for !g.Over() {
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				b.Fatal(err)
			}
		}
		plies += g.Ply()
	}
	b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
}

// BenchmarkFamilyPerft counts leaves on one core, in every variant: from the start to the first
// depth of a million leaves, and in a late position of a random game, with kings, to the first of
// a hundred thousand.
func BenchmarkFamilyPerft(b *testing.B) {
	deep := func(v *Variant, p Position, leaves uint64) int {
		for depth := 1; ; depth++ {
			if v.Perft(p, depth) >= leaves {
				return depth
			}
		}
	}
	for _, v := range familyVariants(b) {
		b.Run(v.String(), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(15, 15))
			late := v.Start()
			for !v.FirstKingWins && late.Kings(White).Empty() {
				p := randomGamePosition(v, rng)
				if p.Kings(White).Or(p.Kings(Black)).Len() > 1 && p.Pieces(White).Len() > 3 && p.Pieces(Black).Len() > 3 && !v.HasCaptures(p) {
					late = p
				}
			}
			for _, c := range []struct {
				name   string
				p      Position
				leaves uint64
			}{{"start", v.Start(), 1e6}, {"kings", late, 1e5}} {
				b.Run(c.name, func(b *testing.B) {
					depth := deep(v, c.p, c.leaves)
					b.ReportAllocs()
					var leaves uint64
					for b.Loop() {
						leaves += v.Perft(c.p, depth)
					}
					b.ReportMetric(float64(leaves)/b.Elapsed().Seconds(), "leaves/s")
				})
			}
		})
	}
}

// BenchmarkFamilyMoves generates the legal moves of the positions of random games of every
// variant.
func BenchmarkFamilyMoves(b *testing.B) {
	for _, v := range familyVariants(b) {
		b.Run(v.String(), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(14, 14))
			var positions []Position
			for range 1000 {
				positions = append(positions, randomGamePosition(v, rng))
			}
			var room [128]Move
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				for _, p := range positions {
					v.AppendMoves(room[:0], p)
				}
			}
			b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "positions/s")
		})
	}
}

// BenchmarkFamilyPlay plays the legal moves of the positions of random games of every variant.
func BenchmarkFamilyPlay(b *testing.B) {
	for _, v := range familyVariants(b) {
		b.Run(v.String(), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(16, 16))
			positions := make([]Position, 1000)
			moves := make([][]Move, len(positions))
			total := 0
			for i := range positions {
				positions[i] = randomGamePosition(v, rng)
				moves[i] = v.AppendMoves(nil, positions[i])
				total += len(moves[i])
			}
			var sink Position
			b.ReportAllocs()
			for b.Loop() {
				for i, p := range positions {
					for _, m := range moves[i] {
						sink = v.Play(p, m)
					}
				}
			}
			_ = sink
			b.ReportMetric(float64(b.N)*float64(total)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}
