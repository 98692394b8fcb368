package rules

// Pool is American pool checkers.
var Pool = member("pool", newPool)

// newPool builds American pool checkers (American Pool Checkers Association). PDN 23; squares are
// numbered from Black's side, who begins.
func newPool(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "pool",
		Board:           NewDiagonalGeometry(8, 8),
		First:           Black,
		Rows:            3,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true, // otherwise the choice is free
		Draws: DrawRules{
			Repetition: 3,
			ManyKings:  26, // APCA rule 26: thirteen moves
			KingPlies:  30, // as dctl plays it
		},
		GameType: 23,
		GameTag:  "23,B,8,8,N1,0",
		Capture:  "x",
	}
	return v.choose(o)
}
