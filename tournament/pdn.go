package tournament

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

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
		{Name: "TimeControl", Value: g.Control},
	}
	if g.Opening >= 0 {
		tags.Set("Opening", strconv.Itoa(g.Opening+1))
	}
	return notation.Write(w, notation.NewGame(g.Game, tags))
}
