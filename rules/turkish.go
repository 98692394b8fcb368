package rules

// Turkish is Turkish draughts, Dama, with its default options.
var Turkish = member("turkish", newTurkish)

// newTurkish builds Turkish draughts (Wikipedia, "Turkish draughts"; kish). Squares are counted
// row by row from a8, the top left.
//
// Options:
//
//	crown=end      a man that reaches the last row in a capture stays a man until it ends (default)
//	crown=at-once  such a man is crowned there and goes on as a king
//	draws=three    repetition, and one piece each (default)
//	draws=25-move  also 25 moves each without a capture or a man's advance
func newTurkish(o Options) (*Variant, error) {
	v := &Variant{
		Name:          "turkish",
		Board:         NewGeometry(8, 8, EverySquare),
		First:         White,
		Rows:          2,
		EmptyRows:     1,
		MoveLines:     Orthogonals, // forward and sideways for men
		CaptureLines:  Orthogonals, // likewise
		KingFlies:     true,
		KingGoesOn:    true,
		RemovedAtOnce: true,
		NoTurnBack:    true, // between two jumps no turn by 180 degrees
		Priority:      []Criterion{MostPieces},
		Draws:         DrawRules{Repetition: 3, OneEach: true},
		GameType:      30,
		GameTag:       "30,W,8,8,A0,0",
		Capture:       "x",
		Algebraic:     true,
	}
	return v.choose(o,
		choice{"crown", "end", nil},
		choice{"crown", "at-once", func(v *Variant) { v.CrownedAtOnce = true }},
		choice{"draws", "three", nil},
		choice{"draws", "25-move", func(v *Variant) { v.Draws.KingPlies = 50 }},
	)
}
