package rules

// Canadian is Canadian draughts with its default options.
var Canadian = member("canadian", newCanadian)

// newCanadian builds Canadian draughts: international draughts on 12x12 squares with thirty men a
// side, its draw rules and its options included (Wikipedia (fr), "Dames": "differs by its size
// only"; PDN GameType 27).
func newCanadian(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "canadian",
		Board:           NewDiagonalGeometry(12, 12),
		First:           White,
		Rows:            5,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true,
		Priority:        []Criterion{MostPieces},
		Draws:           fmjdDraws,
		GameType:        27,
		GameTag:         "27,W,12,12,N2,0",
		Capture:         "x",
	}
	return v.choose(o, internationalChoices...)
}
