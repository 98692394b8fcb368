package rules

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// long reports whether the tests that take minutes were asked for, with DAMIER_LONG=1.
func long() bool { return os.Getenv("DAMIER_LONG") == "1" }

// twinVariants are the variants whose captures differ.
func twinVariants(t testing.TB) []*Variant {
	kingFirst, err := Lookup("international", Options{"equal": "king-first"})
	if err != nil {
		t.Fatal(err)
	}
	return []*Variant{International, kingFirst}
}

// randomPosition returns a position of up to n pieces a side, a king with the given chance.
func randomPosition(v *Variant, rng *rand.Rand, n int, kings float64) Position {
	for {
		var pieces [2]Set
		var crowned Set
		squares := rng.Perm(v.Board.Squares())
		for c := range pieces {
			for i := 1 + rng.IntN(n); i > 0; i-- {
				s := Square(squares[0] + 1)
				squares = squares[1:]
				pieces[c] = pieces[c].Or(v.Board.Set(s))
				if rng.Float64() < kings || v.Promotes(Color(c), s) {
					crowned = crowned.Or(v.Board.Set(s))
				}
			}
		}
		p := NewPosition(pieces[White], pieces[Black], crowned, Color(rng.IntN(2)))
		if Validate(v, p) == nil {
			return p
		}
	}
}

// compareTwins holds the fast generator, its counts and Play against the slow twins, and returns
// the legal moves.
func compareTwins(t testing.TB, v *Variant, p Position) []Move {
	t.Helper()
	want, got := v.ReferenceMoves(p), v.AppendMoves(nil, p)
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %s\n got %s\nwant %s", v, v.FEN(p), formatMoves(v, got), formatMoves(v, want))
	}
	if n := v.CountMoves(p); n != len(want) {
		t.Fatalf("%s: %s: %d moves counted, there are %d", v, v.FEN(p), n, len(want))
	}
	if n := v.Perft(p, 1); n != uint64(len(want)) && v.barred(&p) == NoSquare { // Perft bars no king
		t.Fatalf("%s: %s: perft 1 = %d, there are %d moves", v, v.FEN(p), n, len(want))
	}
	if h := v.HasCaptures(p); h != (len(want) > 0 && want[0].IsCapture()) {
		t.Fatalf("%s: %s: HasCaptures = %t", v, v.FEN(p), h)
	}
	for _, m := range want {
		if got, want := v.Play(p, m), v.playSets(p, m); got != want {
			t.Fatalf("%s: %s after %s:\n got %+v\nwant %+v", v, v.FEN(p), formatMoves(v, []Move{m}), got, want)
		}
	}
	return want
}

func formatMoves(v *Variant, moves []Move) string {
	var text []byte
	for _, m := range moves {
		text = append(text, v.FormatMove(m)...)
		for i, s := range v.Board.AppendSquares(nil, m.Captured()) {
			text = append(text, "[,"[min(i, 1)])
			text = append(text, s.String()...)
		}
		if m.IsCapture() {
			text = append(text, ']')
		}
		text = append(text, ' ')
	}
	return string(text)
}

// compareRandom compares the twins on n positions: half of them of random games, a quarter random
// set-ups with some kings, a quarter with many.
func compareRandom(t *testing.T, v *Variant, rng *rand.Rand, n int) {
	p := v.Start()
	for i := range n {
		switch i % 4 {
		case 0:
			compareTwins(t, v, randomPosition(v, rng, 18, 0.15))
		case 1:
			compareTwins(t, v, randomPosition(v, rng, 2+10*(i>>2&1), 0.6)) // two at most: the endings
		default:
			moves := compareTwins(t, v, p)
			if len(moves) == 0 || v.DrawByCount(p) != NoReason {
				p = v.Start()
				continue
			}
			p = v.Play(p, moves[rng.IntN(len(moves))])
		}
	}
}

func TestTwins(t *testing.T) {
	n := 5000
	if long() {
		n = 100000
	}
	for _, v := range twinVariants(t) {
		compareRandom(t, v, rand.New(rand.NewPCG(20, uint64(n))), n)
	}
}
