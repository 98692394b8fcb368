package rules

// English is English draughts, or American checkers.
var English = member("english", newEnglish)

// newEnglish builds English draughts (World Checkers/Draughts Federation, rules of play). PDN 21;
// squares are numbered from Black's side, who begins.
func newEnglish(o Options) (*Variant, error) {
	v := &Variant{
		Name:         "english",
		Board:        NewDiagonalGeometry(8, 8), // WCDF 1.1
		First:        Black,
		Rows:         3,
		MoveLines:    Diagonals,
		CaptureLines: Diagonals, // forward for men; kings go one step; the choice is free
		Draws: DrawRules{
			Repetition: 3,  // WCDF 1.32.1
			KingPlies:  80, // WCDF 1.32.2: forty own moves each
		},
		GameType: 21,
		GameTag:  "21,B,8,8,N1,0",
		Capture:  "x",
	}
	return v.choose(o)
}
