package rules

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// manyWays are positions with so many ways to capture that walking each of them takes minutes and
// gigabytes.
var manyWays = []struct {
	variant *Variant
	fen     string
	moves   int
}{
	{Frisian, "W:WK5:B30,24,17,7,21,10,4,28,26,13,44,33,20,22,37,43,29,15,8,9", 11},
}

// within calls f, which must end long before a minute is over.
func within(t *testing.T, f func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatal("it takes more than a minute")
	}
}

// Everything that lists moves or paths comes to an end, in positions made up to keep it from that.
func TestManyWaysToCapture(t *testing.T) {
	for _, c := range manyWays {
		p, err := ParseFEN(c.variant, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		within(t, func() {
			v := c.variant
			moves := v.AppendMoves(nil, p)
			if len(moves) != c.moves || v.CountMoves(p) != c.moves || !v.HasCaptures(p) {
				t.Errorf("%d moves, %d counted, want %d", len(moves), v.CountMoves(p), c.moves)
			}
			if again := v.AppendMoves(nil, p); !slices.Equal(again, moves) {
				t.Errorf("asked again: %v, want %v", again, moves)
			}
			for _, m := range moves {
				paths := v.CapturePaths(p, m)
				if len(paths) == 0 || len(paths) > maxPaths {
					t.Fatalf("%s has %d paths", v.FormatMove(m), len(paths))
				}
				for _, path := range paths {
					if len(path) != m.Captured().Len()+1 || path[0] != m.From || path[len(path)-1] != m.To {
						t.Fatalf("%s: %v is no path of it", v.FormatMove(m), path)
					}
				}
			}
			if _, ok := v.BoundedReferenceMoves(p, 10_000); ok {
				t.Error("the slow generator is through after 10,000 jumps")
			}
			lapses := v.Lapses(p)
			if len(lapses) == 0 {
				t.Error("informal play allows nothing")
			}
			for _, m := range lapses[:min(len(lapses), 3)] {
				if _, ok := v.Lapse(p, m); !ok {
					t.Errorf("%s is no lapse", v.FormatMove(m))
				}
				if m.IsCapture() && len(v.LapsePaths(p, m)) == 0 {
					t.Errorf("%s has no path", v.FormatMove(m))
				}
			}
		})
	}
}

// capturePathsSlowly is CapturePaths by walking every capture of the position.
func capturePathsSlowly(v *Variant, p Position, m Move) [][]Square {
	var paths [][]Square
	for _, c := range v.legalPaths((&reference{v: v, p: p, left: math.MaxInt}).all()) {
		if c.move(v) == m {
			paths = append(paths, c.path)
		}
	}
	return paths
}

// lapsePathsSlowly is LapsePaths likewise.
func lapsePathsSlowly(v *Variant, p Position, m Move) [][]Square {
	var paths [][]Square
	w := *v
	w.KingGoesOn = false
	for _, c := range (&reference{v: &w, p: p, left: math.MaxInt}).all() {
		for n := 1; n <= len(c.taken); n++ {
			q := c.cut(v, p.Turn, n)
			if q.move(v) == m && !slices.ContainsFunc(paths, func(s []Square) bool { return slices.Equal(s, q.path) }) {
				paths = append(paths, slices.Clone(q.path))
			}
		}
	}
	return paths
}

// The walk towards one capture finds the paths that the walk of all captures finds, in every
// variant, of legal moves and of those of informal play, and none of other moves.
func TestPathsAgainstAllWalks(t *testing.T) {
	n := 40
	if long() {
		n = 20_000
	}
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(29, 6))
		compared := 0
		sorted := func(paths [][]Square) [][]Square {
			paths = slices.Clone(paths)
			slices.SortFunc(paths, slices.Compare[[]Square])
			return paths
		}
		same := func(a, b [][]Square) bool { return slices.EqualFunc(sorted(a), sorted(b), slices.Equal[[]Square]) }
		for range n {
			kings := 0.3
			if v.FirstKingWins {
				kings = 0
			}
			p := randomPosition(v, rng, 8, kings)
			moves := v.AppendMoves(nil, p)
			if len(moves) == 0 || !moves[0].IsCapture() {
				continue
			}
			for _, m := range moves {
				want, got := capturePathsSlowly(v, p, m), v.CapturePaths(p, m)
				if len(want) > maxPaths {
					continue
				}
				compared++
				if len(want) == 0 || !same(want, got) {
					t.Fatalf("%s: %s: %s\n got %v\nwant %v", v, v.FEN(p), v.FormatMove(m), got, want)
				}
				other := NewMove(m.From, m.To, v.Board.Set(v.Board.AppendSquares(nil, m.Captured())[0]))
				if other != m && !slices.Contains(moves, other) && len(v.CapturePaths(p, other)) > 0 {
					t.Fatalf("%s: %s: a capture that is not legal has paths", v, v.FEN(p))
				}
			}
			for _, m := range v.Lapses(p) {
				want, got := lapsePathsSlowly(v, p, m), v.LapsePaths(p, m)
				if m.IsCapture() && len(want) <= maxPaths && !same(want, got) {
					t.Fatalf("%s: %s: lapse %s\n got %v\nwant %v", v, v.FEN(p), v.FormatMove(m), got, want)
				}
			}
		}
		if compared < n/20 {
			t.Errorf("%s: only %d captures compared", v, compared)
		}
	}
}

// A generator that remembers its steps finds what one that does not finds: crowded boards of few
// kings, where many ways lead to a capture.
func TestRememberedStepsAgainstTheSlowTwin(t *testing.T) {
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(29, 7))
		for range 60 {
			p := randomPosition(v, rng, 14, 0.5)
			want, ok := v.BoundedReferenceMoves(p, 200_000)
			if got := v.AppendMoves(nil, p); ok && !slices.Equal(got, want) {
				t.Fatalf("%s: %s: got %d moves, want %d", v, v.FEN(p), len(got), len(want))
			}
		}
	}
}
