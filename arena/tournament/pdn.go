package tournament

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"damier/arena"
	"damier/notation"
)

// PDN returns all games of the folder as PDN, in the order of controls, pairs and names.
func (st *Store) PDN() ([]byte, error) {
	order := map[string]int{}
	for _, g := range st.Games {
		if _, ok := order[g.Control]; !ok {
			order[g.Control] = len(order)
		}
	}
	games := slices.Clone(st.Games)
	slices.SortFunc(games, func(a, b Game) int {
		return cmp.Or(order[a.Control]-order[b.Control], a.Pair-b.Pair, cmp.Compare(min(a.White, a.Black), min(b.White, b.Black)),
			cmp.Compare(max(a.White, a.Black), max(b.White, b.Black)), cmp.Compare(a.White, b.White))
	})
	var b bytes.Buffer
	for _, g := range games {
		if err := g.write(&b); err != nil {
			return nil, fmt.Errorf("%s - %s, pair %d: %w", g.White, g.Black, g.Pair+1, err)
		}
	}
	return b.Bytes(), nil
}

func (g Game) write(w io.Writer) error {
	tags := notation.Tags{
		{Name: "Event", Value: "Damier tournament"},
		{Name: "Date", Value: g.Date},
		{Name: "Round", Value: strconv.Itoa(g.Pair + 1)},
		{Name: "White", Value: g.White},
		{Name: "Black", Value: g.Black},
		{Name: "WhiteType", Value: "program"},
		{Name: "BlackType", Value: "program"},
		{Name: "TimeControl", Value: timeControl(g.Control)},
		{Name: "Control", Value: g.Control},
	}
	if g.Opening >= 0 {
		tags.Set("Opening", strconv.Itoa(g.Opening+1))
	}
	return notation.Write(w, notation.NewGame(g.Game, tags))
}

// timeControl returns a control in the form of PDN: seconds with or without an increment, or moves
// in seconds; "-" if it is no clock (such as a time for each move, or visits), and "?" for a clock
// that PDN cannot describe.
func timeControl(control string) string {
	c, err := arena.ParseControl(control)
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	switch {
	case err != nil:
		return "-"
	case c.Moves > 0 && c.Increment > 0:
		return "?"
	case c.Moves > 0:
		return strconv.Itoa(c.Moves) + "/" + seconds(c.Time)
	case c.Increment > 0:
		return seconds(c.Time) + "+" + seconds(c.Increment)
	}
	return seconds(c.Time)
}
