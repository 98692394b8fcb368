package rules

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// symmetryPositions are random set-ups and positions of games of v, with king moves counted where
// they are.
func symmetryPositions(v *Variant, rng *rand.Rand, n int) []Position {
	var all []Position
	for i := range n {
		p := randomPosition(v, rng, 6, 0.2)
		if i%2 == 0 {
			p = randomGamePosition(v, rng)
		}
		for _, c := range [2]Color{White, Black} {
			if kings := p.Kings(c); v.KingMoveLimit > 0 && !kings.Empty() && !p.Men(c).Empty() {
				p = p.WithKingMoves(c, 1+rng.IntN(v.KingMoveLimit), v.Board.Pop(&kings))
			}
		}
		p.Quiet = uint8(rng.IntN(3))
		all = append(all, p)
	}
	return all
}

// checkSymmetry checks that a symmetry of v takes p to a position with the corresponding moves,
// which lead to the corresponding positions, and with the same leaf counts and ends.
func checkSymmetry(t *testing.T, v *Variant, p Position, of func(Position) Position, ofMove func(Move) Move) {
	t.Helper()
	q := of(p)
	if of(q) != p {
		t.Fatalf("%s: %s, done twice, is %s", v, v.FEN(p), v.FEN(of(q)))
	}
	moves := v.AppendMoves(nil, p)
	var carried []Move
	for _, m := range moves {
		if ofMove(ofMove(m)) != m {
			t.Fatalf("%s: %s, done twice, is %s", v, v.FormatMove(m), v.FormatMove(ofMove(ofMove(m))))
		}
		carried = append(carried, ofMove(m))
		if a, b := of(v.Play(p, m)), v.Play(q, ofMove(m)); a != b {
			t.Fatalf("%s: %s after %s is %s, by symmetry %s", v, v.FEN(p), v.FormatMove(m), v.FEN(b), v.FEN(a))
		}
	}
	slices.SortFunc(carried, func(a, b Move) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	if got := v.AppendMoves(nil, q); !slices.Equal(got, carried) {
		t.Fatalf("%s: %s has the moves %s, by symmetry with %s they are %s", v, v.FEN(q), formatMoves(v, got), v.FEN(p), formatMoves(v, carried))
	}
	if a, b := v.Perft(p, 2), v.Perft(q, 2); a != b {
		t.Fatalf("%s: %s has perft 2 of %d, %s of %d", v, v.FEN(p), a, v.FEN(q), b)
	}
	if a, b := v.DrawByCount(p), v.DrawByCount(q); a != b {
		t.Fatalf("%s: %s is drawn by %q, %s by %q", v, v.FEN(p), a, v.FEN(q), b)
	}
}

// TestFamilyRotation: half a turn with the colours exchanged changes nothing in any variant.
func TestFamilyRotation(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	for _, v := range familyVariants(t) {
		for _, p := range symmetryPositions(v, rng, 120) {
			checkSymmetry(t, v, p, v.Rotate, v.RotateMove)
		}
		start := v.Start()
		if q := v.Rotate(start); q.Pieces(White) != start.Pieces(White) || q.Pieces(Black) != start.Pieces(Black) || q.Turn == start.Turn {
			t.Errorf("%s: the start turned is %s", v, v.FEN(q))
		}
	}
}

// TestMirror: the board played on all squares has a mirror, in which the rules of Turkish draughts
// are the same. On all other boards left and right exchanged leave no playing square one.
func TestMirror(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 30))
	mirrors := map[string]bool{}
	for _, v := range familyVariants(t) {
		b := v.Board
		playing := 0
		for s := Square(1); int(s) <= b.Squares(); s++ {
			m := b.Mirror(s)
			if m == NoSquare {
				continue
			}
			playing++
			if b.Mirror(m) != s || b.Row(m) != b.Row(s) || b.Column(m) != b.Columns-1-b.Column(s) {
				t.Fatalf("%s: the mirror of %s is %s", v, s, m)
			}
		}
		if !v.HasMirror() {
			if playing != 0 {
				t.Errorf("%s has no mirror, but %d of its squares have", v, playing)
			}
			if !panics(func() { v.Mirror(v.Start()) }) || !panics(func() { v.MirrorMove(v.AppendMoves(nil, v.Start())[0]) }) {
				t.Errorf("%s has no mirror and gives one", v)
			}
			continue
		}
		mirrors[v.Name] = true
		if playing != b.Squares() {
			t.Errorf("%s has a mirror, but only %d of its squares have", v, playing)
		}
		for _, p := range symmetryPositions(v, rng, 500) {
			checkSymmetry(t, v, p, v.Mirror, v.MirrorMove)
		}
		if v.Mirror(v.Start()) != v.Start() {
			t.Errorf("%s: the start in the mirror is %s", v, v.FEN(v.Mirror(v.Start())))
		}
		p := randomGamePosition(v, rng)
		if a, b := v.Perft(p, 4), v.Perft(v.Mirror(p), 4); a != b {
			t.Errorf("%s: %s has perft 4 of %d, its mirror %d", v, v.FEN(p), a, b)
		}
	}
	if len(mirrors) != 1 || !mirrors["turkish"] {
		t.Errorf("with a mirror are %v", mirrors)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
