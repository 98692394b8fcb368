package tournament

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"damier/arena"
)

// Report is the report of the games of a folder. Infinite numbers are null in JSON.
type Report struct {
	Variant    string    `json:"variant"`
	Openings   string    `json:"openings"`
	Unbalanced bool      `json:"unbalanced_openings"`
	Judging    string    `json:"adjudication,omitempty"`
	Players    []Player  `json:"players"`
	Sections   []Section `json:"sections"` // by control, in the order in which they were first played
}

// Bounds is an estimate and the ends of its interval.
type Bounds struct {
	Estimate Number `json:"estimate"`
	Low      Number `json:"low"`
	High     Number `json:"high"`
}

func bounds(i arena.Interval) Bounds {
	return Bounds{Number(i.Estimate), Number(i.Low), Number(i.High)}
}

// Number is a float64 that JSON shows with at most 6 decimals, and as null if it is not finite.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return []byte("null"), nil
	}
	return json.Marshal(math.Round(f*1e6) / 1e6)
}

// Anchor sets the Elo of a player; see arena.Rate.
type Anchor struct {
	Name string
	Elo  float64
}

// Make makes the report of a folder. Only complete pairs of games count. The anchor may be nil; it
// is an error if it names no player.
func Make(st *Store, anchor *Anchor) (Report, error) {
	r := Report{Variant: st.Settings.Variant, Openings: st.Settings.Openings, Unbalanced: st.Settings.Unbalanced,
		Judging: st.Settings.Adjudication, Players: st.Players, Sections: []Section{}}
	if anchor != nil && !slices.ContainsFunc(st.Players, func(p Player) bool { return p.Name == anchor.Name }) {
		return r, fmt.Errorf("the anchor %q is none of the players", anchor.Name)
	}
	var controls []string
	games := map[string][]Game{}
	for _, g := range st.Games {
		if games[g.Control] == nil {
			controls = append(controls, g.Control)
		}
		games[g.Control] = append(games[g.Control], g)
	}
	for _, c := range controls {
		s, err := section(c, games[c], anchor)
		if err != nil {
			return r, err
		}
		r.Sections = append(r.Sections, s)
	}
	return r, nil
}

// Text returns the report for people.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", r.Variant, r.Openings)
	if r.Unbalanced {
		b.WriteString("unbalanced openings: the scores say who plays better, not by how much in balanced ones\n")
	}
	if r.Judging != "" {
		fmt.Fprintf(&b, "adjudication: %s\n", r.Judging)
	}
	if len(r.Sections) == 0 {
		b.WriteString("no game was played yet\n")
	}
	for _, s := range r.Sections {
		s.write(&b)
	}
	return b.String()
}

func (s Section) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %d games", s.Control, s.Games)
	if s.Unpaired > 0 {
		fmt.Fprintf(b, " (%d more wait for the other game of their pair)", s.Unpaired)
	}
	b.WriteString("\n\n")
	if s.Games == 0 {
		return
	}
	rows := [][]string{{"", "player", "Elo", "95 %", "games", "score", "+", "=", "-", "above the next"}}
	for i, p := range s.Standings {
		above := ""
		if !math.IsNaN(float64(p.Above)) {
			above = fmt.Sprintf("%.1f %%", 100*p.Above)
		}
		rows = append(rows, []string{
			fmt.Sprint(i + 1), p.Name, fmt.Sprintf("%+.0f", p.Elo.Estimate), p.Elo.ends(), fmt.Sprint(p.Games),
			fmt.Sprintf("%.1f %%", 100*p.Score), fmt.Sprint(p.Wins), fmt.Sprint(p.Draws), fmt.Sprint(p.Losses), above,
		})
	}
	writeTable(b, rows, 1)
	for _, p := range s.Standings {
		if p.Split {
			fmt.Fprintf(b, "%s took no point, or gave none, towards some of the others: its Elo is a bound, not an estimate\n", p.Name)
		}
	}
	b.WriteString("\nscore of the row against the column, %\n\n")
	rows = [][]string{{"", ""}}
	for i := range s.Standings {
		rows[0] = append(rows[0], fmt.Sprint(i+1))
	}
	for i, p := range s.Standings {
		row := []string{fmt.Sprint(i + 1), p.Name}
		for _, c := range s.Table[i] {
			text := ""
			if c.Games > 0 {
				text = fmt.Sprintf("%.1f", 100*c.Score)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	writeTable(b, rows, 1)
	fmt.Fprintf(b, "\ndraws           %d of %d, %.1f %%\n", s.Draws, s.Games, 100*float64(s.Draws)/float64(s.Games))
	fmt.Fprintf(b, "White           %+.0f Elo  (95 %%: %s)\n", s.White.Estimate, s.White.ends())
	fmt.Fprintf(b, "distinct games  %d of %d\n", s.Distinct, s.Games)
	for i, same := range s.Duplicates {
		if i == 5 {
			fmt.Fprintf(b, "                ... and %d more\n", len(s.Duplicates)-5)
			break
		}
		var texts []string
		for _, k := range same {
			texts = append(texts, fmt.Sprintf("%s - %s, pair %d", k.White, k.Black, k.Pair+1))
		}
		fmt.Fprintf(b, "                the same: %s\n", strings.Join(texts, "; "))
	}
	fmt.Fprintf(b, "plies a game    %.1f, %d drawn at the limit, %d adjudicated\n", s.Plies, s.PlyLimits, s.Judged)
	b.WriteString("faults          ")
	none := true
	for _, p := range s.Standings {
		if p.Illegal+p.Overruns+p.Forfeits+p.Failures == 0 {
			continue
		}
		if !none {
			b.WriteString("                ")
		}
		none = false
		fmt.Fprintf(b, "%s: %d illegal moves, %d time overruns, %d lost on time, %d failures", p.Name, p.Illegal, p.Overruns, p.Forfeits, p.Failures)
		if p.Failure != "" {
			fmt.Fprintf(b, " (%s)", p.Failure)
		}
		b.WriteByte('\n')
	}
	if none {
		b.WriteString("none: no illegal move, time overrun, loss on time or failure\n")
	}
}

// ends returns the ends of the interval as text.
func (b Bounds) ends() string { return end(b.Low) + " to " + end(b.High) }

func end(n Number) string {
	switch f := float64(n); {
	case math.IsInf(f, 1):
		return "+infinite"
	case math.IsInf(f, -1):
		return "-infinite"
	}
	return fmt.Sprintf("%+.0f", n)
}

// writeTable writes rows with aligned columns: column left is aligned to the left, the others to
// the right.
func writeTable(b *strings.Builder, rows [][]string, left int) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var text strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				text.WriteString("  ")
			}
			if i == left {
				text.WriteString(cell + pad)
			} else {
				text.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}
