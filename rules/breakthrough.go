package rules

// Breakthrough is breakthrough draughts.
var Breakthrough = member("breakthrough", newBreakthrough)

// newBreakthrough builds breakthrough draughts (lidraughts, "Breakthrough"): international
// draughts in which the first side to get a king wins. It needs no draw rule, because men never
// move backwards.
func newBreakthrough(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "breakthrough",
		Board:           NewDiagonalGeometry(10, 10),
		First:           White,
		Rows:            4,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true,
		Priority:        []Criterion{MostPieces},
		FirstKingWins:   true, // lidraughts, "Breakthrough"
		GameType:        96,   // of lidraughts, not of the PDN standard
		Capture:         "x",
	}
	return v.choose(o)
}
