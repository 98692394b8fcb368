package rules

// Killer is Killer draughts.
var Killer = member("killer", newKiller)

// newKiller builds Killer draughts (Christian Freeling, mindsports.nl): international draughts in
// which a king that captures a king last must stop directly behind it. So two kings win against
// one, and the variant has no draw rules for few pieces. It keeps the other FMJD draws as a
// policy.
func newKiller(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "killer",
		Board:           NewDiagonalGeometry(10, 10),
		First:           White,
		Rows:            4,
		MoveLines:       Diagonals,
		CaptureLines:    Diagonals,
		ManCapturesBack: true,
		KingFlies:       true,
		KingGoesOn:      true,
		Landing:         BehindLastKing, // mindsports.nl, "Killer draughts"
		Priority:        []Criterion{MostPieces},
		Draws: DrawRules{
			Repetition: 3,  // as Scan plays it
			KingPlies:  50, // FMJD Annex 1, 6.2; a policy
		},
		Capture: "x", // without a PDN number
	}
	return v.choose(o)
}
