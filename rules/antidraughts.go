package rules

// Antidraughts is losing draughts.
var Antidraughts = member("antidraughts", newAntidraughts)

// newAntidraughts builds losing draughts (lidraughts, "Antidraughts"): international draughts won by who has
// no piece or no move left. Repetition is its only draw.
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
