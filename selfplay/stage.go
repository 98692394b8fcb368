package selfplay

import (
	"math/rand/v2"

	"damier/rules"
)

// Stage is what changes in the course of a run.
type Stage struct {
	FullVisits, CheapVisits int // simulations of a full and of a cheap search
	// Simple is for networks that know nothing yet: a share of the games begins with some of the pieces only, so that
	// games are short and their ends teach what a piece is worth and how one becomes a king, and no move is a
	// candidate for being forcing, which only misleads while nobody can tell what an offer brings.
	Simple bool
}

// thinned returns p without some of its pieces: each side keeps a random choice of them, the two at most two pieces
// apart and each at least one.
func thinned(v *rules.Variant, p rules.Position, rng *rand.Rand) rules.Position {
	fewer := min(p.Pieces(rules.White).Len(), p.Pieces(rules.Black).Len())
	most := 2 + rng.IntN(max(fewer-1, 1))
	var kept, kings rules.Set
	var sides [2]rules.Set
	for c := range sides {
		squares := v.Board.AppendSquares(nil, p.Pieces(rules.Color(c)))
		rng.Shuffle(len(squares), func(i, j int) { squares[i], squares[j] = squares[j], squares[i] })
		for _, s := range squares[:min(max(most-rng.IntN(3), 1), len(squares))] {
			sides[c] = sides[c].Or(v.Board.Set(s))
		}
		kept = kept.Or(sides[c])
		kings = kings.Or(p.Kings(rules.Color(c)))
	}
	return rules.NewPosition(sides[rules.White], sides[rules.Black], kings.And(kept), p.Turn)
}
