package rules

// International is international draughts with its default options: the rules of the FMJD.
var International = member("international", newInternational)

// newInternational builds international draughts (FMJD, Official rules of the game, art. 1 to 4,
// and Annex 1, art. 6 for the draws).
//
// Options:
//
//	draws=fmjd        25 king moves each, 16 against three pieces, 5 against two or one (default)
//	draws=immediate   the same, but a lone king against one or two pieces is drawn at once
//	draws=house-15-5  lone king against three pieces: 15 moves on the long diagonal, else 5; informal play
//	                  knows huffing
//	draws=three-kings the FMJD's, and three kings against one are drawn at once
//	equal=free        among captures of equal number the choice is free (default, FMJD 4.13)
//	equal=king-first  the one that takes the most kings ("between a man and a king he takes the king")
func newInternational(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "international",
		Board:           NewDiagonalGeometry(10, 10), // 2.1
		First:           White,                       // 3.10
		Rows:            4,                           // 2.7
		MoveLines:       Diagonals,                   // 3.4, 3.9
		CaptureLines:    Diagonals,                   // 4.1
		ManCapturesBack: true,                        // 4.3
		KingFlies:       true,                        // 3.9, 4.5
		KingGoesOn:      true,                        // 4.7, and follows from 4.13
		Priority:        []Criterion{MostPieces},     // 4.13
		Draws:           fmjdDraws,
		GameType:        20,
		GameTag:         "20,W,10,10,N2,0",
		Capture:         "x",
	}
	return v.choose(o, internationalChoices...)
}

// fmjdDraws are the draws of international draughts.
var fmjdDraws = DrawRules{
	Repetition:  3,  // Annex 1, 6.1
	KingPlies:   50, // Annex 1, 6.2
	ThreePieces: 32, // Annex 1, 6.3
	TwoPieces:   10, // Annex 1, 6.4
}

// houseGame changes v to the game as people play it at home in France, with huffing.
func houseGame(v *Variant) {
	v.Draws.ThreePieces, v.Draws.LongDiagonal = 10, 30
	v.Huffing = HuffLesser
}

// internationalChoices are the options of international draughts.
var internationalChoices = []choice{
	{"draws", "fmjd", nil},
	{"draws", "immediate", func(v *Variant) { v.Draws.TwoPieces = -1 }},
	{"draws", "house-15-5", houseGame},
	{"draws", "three-kings", func(v *Variant) { v.Draws.ThreeKings = true }},
	{"equal", "free", nil},
	{"equal", "king-first", func(v *Variant) { v.Priority = []Criterion{MostPieces, MostKings} }},
}
