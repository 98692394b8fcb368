package rules

// Italian is Italian draughts.
var Italian = member("italian", newItalian)

// newItalian builds Italian draughts (Federazione Italiana Dama, technical regulations).
func newItalian(o Options) (*Variant, error) {
	v := &Variant{
		Name:          "italian",
		Board:         NewGeometry(8, 8, BottomRight), // FID 1
		First:         White,
		Rows:          3,
		MoveLines:     Diagonals,
		CaptureLines:  Diagonals, // forward for men, one step for kings
		MenSpareKings: true,      // FID 5
		Priority: []Criterion{
			MostPieces,    // FID 6.6
			CapturingKing, // FID 6.7
			MostKings,     // FID 6.8
			EarliestKings, // FID 6.9, the whole order compared
		},
		Draws: DrawRules{
			Repetition: 4,  // FID 9.3
			KingPlies:  80, // FID 10.4: forty moves each
		},
		GameType: 22,
		GameTag:  "22,W,8,8,N2,1",
		Capture:  "x",
	}
	return v.choose(o)
}
