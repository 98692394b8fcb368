package rules

// Spanish is Spanish draughts.
var Spanish = member("spanish", newSpanish)

// newSpanish builds Spanish draughts (Wikipedia (fr), "Dames"; the rules as dctl plays them). PDN
// 24; squares are numbered from White's side.
func newSpanish(o Options) (*Variant, error) {
	v := spanishFacts()
	v.Name, v.GameType, v.GameTag = "spanish", 24, "24,W,8,8,N1,1"
	return v.choose(o)
}

// spanishFacts are the facts that Spanish and Portuguese draughts share.
func spanishFacts() *Variant {
	return &Variant{
		Board:        NewGeometry(8, 8, BottomRight),
		First:        White,
		Rows:         3,
		MoveLines:    Diagonals,
		CaptureLines: Diagonals, // forward for men
		KingFlies:    true,
		KingGoesOn:   true,
		Priority:     []Criterion{MostPieces, MostKings}, // the law of quantity, then of quality
		Draws:        commonDraws,
		Huffing:      HuffOmitted,
		Capture:      "x",
		Mirrored:     true,
	}
}

// commonDraws are the draws of the variants for which no official text was found: a policy.
var commonDraws = DrawRules{Repetition: 3, KingPlies: 50}
