package rules

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// standingReference is what the slow generator says of a position.
func standingReference(v *Variant, p Position) Standing {
	switch moves := v.ReferenceMoves(p); {
	case len(moves) == 0:
		return Stuck
	case moves[0].IsCapture():
		return MustCapture
	}
	return CanMove
}

// TestNext compares the positions after all moves with those played one by one, in every variant.
func TestNext(t *testing.T) {
	n := 300
	if long() {
		n = 5000
	}
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(31, uint64(n)))
		var got [3]int
		for i := range n {
			p := randomGamePosition(v, rng)
			if i%2 == 0 {
				p = randomPosition(v, rng, v.Board.Squares()/5, 0.3)
			}
			if v.KingMoveLimit > 0 && i%3 == 0 {
				if k := p.Kings(p.Turn); !k.Empty() && !p.Men(p.Turn).Empty() {
					p = p.WithKingMoves(p.Turn, v.KingMoveLimit, v.Board.Pop(&k))
				}
			}
			moves := v.AppendMoves(nil, p)
			next := v.AppendNext(nil, &p, moves)
			if len(next) != len(moves) {
				t.Fatalf("%s: %s: %d positions after %d moves", v, v.FEN(p), len(next), len(moves))
			}
			for j, m := range moves {
				want := v.playSets(p, m)
				if next[j].Position != want || next[j].Standing != standingReference(v, want) {
					t.Fatalf("%s: %s: after %s %+v, want %+v, %d", v, v.FEN(p), v.FormatMove(m), next[j], want, standingReference(v, want))
				}
				if int(next[j].Move) != j {
					t.Fatalf("%s: %s: move %d has index %d", v, v.FEN(p), j, next[j].Move)
				}
				got[next[j].Standing]++
			}
			if len(moves) > 0 && !moves[0].IsCapture() {
				offers := slices.DeleteFunc(slices.Clone(next), func(x Next) bool { return x.Standing != MustCapture })
				if found := v.AppendOffers(nil, &p, moves); !slices.Equal(found, offers) {
					t.Fatalf("%s: %s: offers %+v, want %+v", v, v.FEN(p), found, offers)
				}
			}
			if v.Standing(p) != standingReference(v, p) {
				t.Fatalf("%s: %s stands %d, want %d", v, v.FEN(p), v.Standing(p), standingReference(v, p))
			}
			if v.Standing(p) != MustCapture {
				continue
			}
			captured, room := v.AppendCaptured(nil, make([]Move, 0, 1), &p)
			if len(captured) != len(moves) || len(room) != len(moves) {
				t.Fatalf("%s: %s: %d positions after captures, want %d", v, v.FEN(p), len(captured), len(moves))
			}
			for _, x := range captured {
				x.Move = uint16(slices.Index(moves, room[x.Move]))
				if !slices.Contains(next, x) {
					t.Fatalf("%s: %s: %+v is after no capture", v, v.FEN(p), x)
				}
			}
		}
		if slices.Min(got[:]) == 0 {
			t.Errorf("%s: %v positions where the opponent is stuck, moves, captures", v, got)
		}
	}
}
