package learner

import (
	"bytes"
	"strconv"

	"damier/arena"
	"damier/notation"
)

// pdnFile collects the games of a match.
type pdnFile struct{ b bytes.Buffer }

func (f *pdnFile) add(r arena.GameRecord) error {
	return notation.Write(&f.b, notation.NewGame(r.Game, notation.Tags{
		{Name: "Event", Value: "evaluation"},
		{Name: "Round", Value: strconv.Itoa(r.Number + 1)},
		{Name: "White", Value: r.White},
		{Name: "Black", Value: r.Black},
		{Name: "WhiteType", Value: "program"},
		{Name: "BlackType", Value: "program"},
	}))
}

func (f *pdnFile) bytes() []byte { return f.b.Bytes() }
