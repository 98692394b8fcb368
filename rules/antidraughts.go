package rules

// Antidraughts is losing draughts.
var Antidraughts = member("antidraughts", newAntidraughts)

// newAntidraughts builds losing draughts (lidraughts, "Antidraughts"): the moves of international
// draughts, but the side that has no piece or no move left wins. The only draw is by repetition.
func newAntidraughts(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "antidraughts",
		Board:           NewDiagonalGeometry(10, 10),
		First:           White,
		Rows:            4,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true,
		Priority:        []Criterion{MostPieces},
		NoMovesWins:     true,                     // lidraughts, "Antidraughts"
		Draws:           DrawRules{Repetition: 3}, // lidraughts, "Antidraughts"
		GameType:        98,                       // of lidraughts, not of the PDN standard
		Capture:         "x",
	}
	return v.choose(o)
}
