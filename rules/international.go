package rules

import (
	"fmt"
	"maps"
	"slices"
)

// International is international draughts with its default options: the rules of the FMJD.
var International = mustVariant(newInternational(nil))

func mustVariant(v *Variant, err error) *Variant {
	if err != nil {
		panic(err)
	}
	return v
}

// newInternational builds international draughts (FMJD, Official rules of the game, art. 1 to 4, and
// Annex 1, art. 6 for the draws).
//
// Options:
//
//	draws=fmjd        25 king moves each, 16 against three pieces, 5 against two or one (default)
//	draws=immediate   the same, but a lone king against one or two pieces is drawn at once
//	draws=house-15-5  lone king against three pieces: 15 moves on the long diagonal, else 5
//	draws=three-kings the FMJD's, and three kings against one are drawn at once
//	equal=free        among captures of equal number the choice is free (default, FMJD 4.13)
//	equal=king-first  a king takes before a man
func newInternational(o Options) (*Variant, error) {
	v := &Variant{
		Name:            "international",
		Options:         Options{"draws": "fmjd", "equal": "free"},
		Board:           NewDiagonalGeometry(10, 10), // 2.1
		First:           White,                       // 3.10
		Rows:            4,                           // 2.7
		ManCapturesBack: true,                        // 4.3
		KingFlies:       true,                        // 3.9, 4.5
		Priority:        MostPieces,                  // 4.13
		GameType:        20,
		Capture:         "x",
		Draws: DrawRules{
			Repetition:  3,  // Annex 1, 6.1
			KingPlies:   50, // Annex 1, 6.2
			ThreePieces: 32, // Annex 1, 6.3
			TwoPieces:   10, // Annex 1, 6.4
		},
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		value := o[name]
		switch name + "=" + value {
		case "draws=fmjd", "equal=free":
		case "draws=immediate":
			v.Draws.TwoPieces = -1
		case "draws=house-15-5":
			v.Draws.ThreePieces, v.Draws.LongDiagonal = 10, 30
		case "draws=three-kings":
			v.Draws.ThreeKings = true
		case "equal=king-first":
			v.KingFirst = true
		default:
			return nil, fmt.Errorf("international has no option %s=%s; it has draws=fmjd|immediate|house-15-5|three-kings and equal=free|king-first", name, value)
		}
		v.Options[name] = value
	}
	v.fast = newDiagonal(v)
	return v, nil
}
