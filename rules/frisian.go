package rules

// Frisian is Frisian draughts with its default options.
var Frisian = member("frisian", newFrisian)

// newFrisian builds Frisian draughts (Wikipedia (fr), "Dames frisonnes"; official rules of 2011 as
// played by lidraughts and Scan).
//
// Options:
//
//	kings=three   a king makes at most three quiet moves in a row while its side has a man (default)
//	kings=strict  at most two: "it is forbidden to move a king three times in a row", taken literally
func newFrisian(o Options) (*Variant, error) {
	v := frisianFacts()
	v.Name, v.Rows = "frisian", 4
	return v.choose(o, frisianChoices...)
}

// frisianFacts are the facts that Frisian draughts and Frysk! share.
func frisianFacts() *Variant {
	return &Variant{
		Board:           NewDiagonalGeometry(10, 10),
		First:           White,
		MoveLines:       Diagonals,
		CaptureLines:    EveryDirection, // "along the diagonals and along rows and columns"
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true,
		Priority:        []Criterion{MostValue, CapturingKing}, // of equal value, the capture of a king
		ManValue:        100,                                   // a king is worth a little less than two men: four are
		KingValue:       199,                                   // more than seven men, and less than eight
		KingMoveLimit:   3,                                     // official rules 2011
		Draws: DrawRules{
			Repetition: 3,  // lidraughts
			TwoKings:   14, // official rules 2011
			OneKing:    -1, // official rules 2011
		},
		GameType: 40,
		GameTag:  "40,W,10,10,N2,0",
		Capture:  "x",
	}
}

// frisianChoices are the options of Frisian draughts.
var frisianChoices = []choice{
	{"kings", "three", nil},
	{"kings", "strict", func(v *Variant) { v.KingMoveLimit = 2 }},
}
