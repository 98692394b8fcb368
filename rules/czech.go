package rules

// Czech is Czech draughts.
var Czech = member("czech", newCzech)

// newCzech builds Czech draughts (fmjd.org, variants: Czech).
func newCzech(o Options) (*Variant, error) {
	v := &Variant{
		Name:         "czech",
		Board:        NewDiagonalGeometry(8, 8),
		First:        White,
		Rows:         3,
		MoveLines:    Diagonals,
		CaptureLines: Diagonals, // forward for men
		KingFlies:    true,
		KingGoesOn:   true,
		Priority:     []Criterion{CapturingKing}, // otherwise the choice is free
		Draws: DrawRules{
			Repetition: 3,
			KingPlies:  30, // fifteen moves each without a man's move or a capture
		},
		GameType:  29,
		GameTag:   "29,W,8,8,A0,0",
		Capture:   "x",
		Algebraic: true,
	}
	return v.choose(o)
}
