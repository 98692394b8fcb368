package rules

// Thai is Thai draughts, Makhos, with its default options.
var Thai = member("thai", newThai)

// newThai builds Thai draughts (mindsports.nl, "Thai draughts"; PDN GameType 31).
//
// Options:
//
//	first=black  Black begins, as the PDN type has it (default)
//	first=white  White begins
func newThai(o Options) (*Variant, error) {
	v := &Variant{
		Name:          "thai",
		Board:         NewDiagonalGeometry(8, 8),
		First:         Black,
		Rows:          2,
		Most:          12, // the published leaf counts begin with twelve men a side
		MoveLines:     Diagonals,
		CaptureLines:  Diagonals, // forward for men; the choice is free
		KingFlies:     true,
		Landing:       Behind,
		RemovedAtOnce: true, // and a king may turn straight back
		Draws:         commonDraws,
		GameType:      31,
		GameTag:       "31,B,8,8,N2,0",
		Capture:       "-",
	}
	return v.choose(o,
		choice{"first", "black", nil},
		choice{"first", "white", func(v *Variant) { v.First = White }},
	)
}
