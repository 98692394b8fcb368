package rules

// Russian is Russian draughts.
var Russian = member("russian", newRussian)

// newRussian builds Russian draughts (FMJD-64, rules of the game).
func newRussian(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "russian",
		Board:           NewDiagonalGeometry(8, 8),
		First:           White,
		Rows:            3,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true, // a capture is played to its end; otherwise the choice is free
		CrownedAtOnce:   true, // Wikipedia (fr), "Dames": "unique to Russian draughts"
		Draws:           draws64,
		GameType:        25,
		GameTag:         "25,W,8,8,A0,0",
		Capture:         ":",
		Algebraic:       true,
	}
	return v.choose(o)
}

// draws64 are the draws of Russian and Brazilian draughts (FMJD-64, as lidraughts counts them:
// 7.2.6 by the pieces of both sides together).
var draws64 = DrawRules{
	Repetition: 3,   // 7.2.3
	ManyKings:  30,  // 7.2.4
	KingPlies:  30,  // 7.2.5
	FourPieces: 60,  // 7.2.6
	SixPieces:  120, // 7.2.6
	MainRoad:   10,  // 7.2.7
	TwoPieces:  10,  // 7.2.8
}
