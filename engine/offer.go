package engine

import "math"

// DrawOffers says when an engine offers a draw to a person. It looks at the moves of the two sides
// apart, since the engine may make moves for the person, too. The zero value is ready.
type DrawOffers [2]struct {
	even int // moves of the side in a row for which the engine expected a draw
	ply  int // of the game after the last of them
	last int // ply of the last offer, 0 for none
}

// An engine offers a draw not before offersFrom plies of the game and offersAfter after its last
// offer, if it has expected a draw, within evenMargin, for evenMoves moves in a row. A match that
// is adjudicated by default is drawn when both engines think so.
const (
	offersFrom  = 80
	offersAfter = 20
	evenMoves   = 6
	evenMargin  = 0.02
)

// Played notes that thought t made the move after which the game has so many plies, and reports
// whether the engine offers a draw with it. It needs no notice of moves that are taken back or of a
// new game, because the plies tell.
func (d *DrawOffers) Played(t *Thought, plies int) bool {
	side := &d[plies%2]
	if plies != side.ply+2 {
		side.even = 0
	}
	if plies <= side.last {
		side.last = 0
	}
	side.ply = plies
	if side.even++; t.Book || math.Abs(t.Expected-0.5) > evenMargin {
		side.even = 0
	}
	if side.even < evenMoves || plies < offersFrom || side.last > 0 && plies-side.last < offersAfter {
		return false
	}
	side.last = plies
	return true
}
