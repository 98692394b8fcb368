package rules

// Brazilian is Brazilian draughts.
var Brazilian = member("brazilian", newBrazilian)

// newBrazilian builds Brazilian draughts: the moves of international draughts on 8x8 squares, and
// the draws of the FMJD's section for 64 squares (FMJD-64, rules of the game, 7.2).
func newBrazilian(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "brazilian",
		Board:           NewDiagonalGeometry(8, 8),
		First:           White,
		Rows:            3,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true,
		Priority:        []Criterion{MostPieces},
		Draws:           draws64,
		GameType:        26,
		GameTag:         "26,W,8,8,A0,0",
		Capture:         "x",
		Algebraic:       true,
	}
	return v.choose(o)
}
