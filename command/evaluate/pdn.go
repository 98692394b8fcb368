package evaluate

import (
	"fmt"
	"strconv"
	"time"

	"damier/arena"
	"damier/notation"
)

// pdnGame converts a game of a match to PDN.
func pdnGame(g arena.GameRecord) *notation.Game {
	tags := notation.Tags{
		{Name: "Event", Value: "Damier match"},
		{Name: "Date", Value: time.Now().Format("2006.01.02")},
		{Name: "Round", Value: fmt.Sprintf("%d.%d", g.Number/2+1, g.Number%2+1)},
		{Name: "White", Value: g.White},
		{Name: "Black", Value: g.Black},
		{Name: "WhiteType", Value: "program"},
		{Name: "BlackType", Value: "program"},
	}
	if g.Opening >= 0 {
		tags.Set("Opening", strconv.Itoa(g.Opening+1))
	}
	return notation.NewGame(g.Game, tags)
}
