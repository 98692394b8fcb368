package rules

// German is German draughts with its default options.
var German = member("german", newGerman)

// newGerman builds German draughts, Damespiel (Wikipedia (fr), "Dames": flying kings, men do not
// capture backwards, free choice, no coronation in passing, the right-hand corner a playing
// square).
//
// Options:
//
//	landing=any   a king lands on any free square behind (default)
//	landing=halt  directly behind each captured piece
func newGerman(o Options) (*Variant, error) {
	v := &Variant{
		Name:         "german",
		Board:        NewGeometry(8, 8, BottomRight),
		First:        White,
		Rows:         3,
		MoveLines:    Diagonals,
		CaptureLines: Diagonals,
		KingFlies:    true,
		KingGoesOn:   true,
		Draws:        commonDraws,
		Huffing:      HuffOmitted,
		Capture:      "x", // without a PDN number
	}
	return v.choose(o,
		choice{"landing", "any", nil},
		choice{"landing", "halt", func(v *Variant) { v.Landing = Behind }},
	)
}
