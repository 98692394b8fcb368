package tournament

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"damier/arena"
	"damier/rules"
)

// Report is the report of the games of a folder. Infinite numbers are null in JSON.
type Report struct {
	Variant    string    `json:"variant"`
	Openings   string    `json:"openings"`
	Unbalanced bool      `json:"unbalanced_openings"`
	Judging    string    `json:"adjudication,omitempty"`
	Sections   []Section `json:"sections"` // by control, in the order in which they were first played
}

// Section is the games under one control.
type Section struct {
	Control   string     `json:"control"`
	Games     int        `json:"games"`    // games of complete pairs; only these count
	Unpaired  int        `json:"unpaired"` // games whose pair is incomplete
	Standings []Standing `json:"players"`  // by Elo, the strongest first
	Table     [][]Cell   `json:"table"`    // in the order of the standings; the diagonal is empty

	White Bounds `json:"white_advantage"` // in Elo, with its 95 % interval over the openings
	Draws int    `json:"draws"`

	Distinct   int     `json:"distinct_games"`
	Duplicates [][]Key `json:"duplicates"` // games with the same moves: a wrong set-up, unless two players play alike
	Plies      Number  `json:"plies_per_game"`
	PlyLimits  int     `json:"ply_limit_draws"`
	Judged     int     `json:"adjudicated"`
}

// Standing is the line of a player in the table.
type Standing struct {
	Name   string `json:"name"`
	Elo    Bounds `json:"elo"` // 95 % interval
	Split  bool   `json:"split"`
	Above  Number `json:"above_next"` // probability that it is stronger than the next player of the table
	Games  int    `json:"games"`
	Wins   int    `json:"wins"`
	Draws  int    `json:"draws"`
	Losses int    `json:"losses"`
	Score  Number `json:"score"` // in [0,1]
	Pairs  [5]int `json:"pairs"` // pairs of games in which it made 0, 1/2, 1, 3/2, 2 points

	Illegal  int    `json:"illegal_moves"`
	Overruns int    `json:"time_overruns"`
	Forfeits int    `json:"time_forfeits"`
	Failures int    `json:"failures"`
	Failure  string `json:"failure,omitempty"` // text of the last failure
	Seconds  Number `json:"seconds_per_game"`
}

// Cell is the result of one player against another.
type Cell struct {
	Games    int    `json:"games"`
	Wins     int    `json:"wins"`
	Draws    int    `json:"draws"`
	Losses   int    `json:"losses"`
	Score    Number `json:"score"`    // in [0,1]
	Expected Number `json:"expected"` // score that the ratings predict
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
		Judging: st.Settings.Adjudication, Sections: []Section{}}
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

// wholePairs returns the complete pairs of games, and the number of other games. In the first game
// of a pair the name that comes first in the alphabet has White. The pairs are in the order of
// names and numbers, not in the order in which they were played.
func wholePairs(games []Game) (whole [][2]Game, unpaired int) {
	byKey := map[Key]Game{}
	for _, g := range games {
		byKey[g.Key()] = g
	}
	for _, g := range games {
		k := g.Key()
		k.White, k.Black = k.Black, k.White
		other, ok := byKey[k]
		switch {
		case !ok:
			unpaired++
		case g.White < g.Black:
			whole = append(whole, [2]Game{g, other})
		}
	}
	slices.SortFunc(whole, func(a, b [2]Game) int {
		return cmp.Or(cmp.Compare(a[0].White, b[0].White), cmp.Compare(a[0].Black, b[0].Black), cmp.Compare(a[0].Pair, b[0].Pair))
	})
	return whole, unpaired
}

// points returns the result for White: 0, 1 or 2.
func (g Game) points() int {
	switch o, _ := g.Game.Outcome(); o {
	case rules.WhiteWins:
		return 2
	case rules.Draw:
		return 1
	}
	return 0
}

func section(control string, games []Game, anchor *Anchor) (Section, error) {
	s := Section{Control: control, Standings: []Standing{}, Table: [][]Cell{}, Duplicates: [][]Key{}}
	whole, unpaired := wholePairs(games)
	s.Games, s.Unpaired = 2*len(whole), unpaired
	if len(whole) == 0 {
		return s, nil
	}
	index := map[string]int{}
	var names []string
	for _, p := range whole {
		for _, name := range []string{p[0].White, p[0].Black} {
			if _, ok := index[name]; !ok {
				index[name] = 0
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for i, name := range names {
		index[name] = i
	}
	standings := make([]Standing, len(names))
	table := make([][]Cell, len(names))
	for i := range names {
		standings[i].Name = names[i]
		table[i] = make([]Cell, len(names))
	}
	var rated []arena.RatedPair
	seconds := make([]float64, len(names))
	plies := 0
	alike := map[string][]Key{}
	for _, pair := range whole {
		a, b := index[pair[0].White], index[pair[0].Black]
		rated = append(rated, arena.RatedPair{A: a, B: b, First: pair[0].points(), Second: 2 - pair[1].points(), Opening: pair[0].Opening})
		for _, g := range pair {
			white, black := index[g.White], index[g.Black]
			table[white][black].count(g.points())
			table[black][white].count(2 - g.points())
			seconds[white] += g.Elapsed[rules.White].Seconds()
			seconds[black] += g.Elapsed[rules.Black].Seconds()
			standings[white].Overruns += g.Overruns[rules.White]
			standings[black].Overruns += g.Overruns[rules.Black]
			plies += g.Game.Ply()
			s.fault(g, standings, white, black)
			k := arena.GameKey(g.Game)
			alike[k] = append(alike[k], g.Key())
		}
	}
	s.Distinct = len(alike)
	for _, keys := range alike {
		if len(keys) > 1 {
			s.Duplicates = append(s.Duplicates, keys)
		}
	}
	slices.SortFunc(s.Duplicates, func(a, b []Key) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	s.Plies = Number(float64(plies) / float64(s.Games))

	var by *arena.Anchor
	if anchor != nil {
		if i, ok := index[anchor.Name]; ok {
			by = &arena.Anchor{Player: i, Elo: anchor.Elo}
		}
	}
	ratings, err := arena.Rate(len(names), rated, by, 0.95)
	if err != nil {
		return s, err
	}
	s.White = bounds(ratings.White)
	order := make([]int, len(names))
	for i := range names {
		order[i] = i
		p := &standings[i]
		p.Elo, p.Split, p.Pairs = bounds(ratings.Elo[i]), ratings.Split[i], ratings.Played[i]
		p.Score = Number(ratings.Played[i].Score())
		for j := range names {
			c := &table[i][j]
			p.Games, p.Wins, p.Draws, p.Losses = p.Games+c.Games, p.Wins+c.Wins, p.Draws+c.Draws, p.Losses+c.Losses
			if c.Games > 0 {
				c.Score = Number((float64(c.Wins) + float64(c.Draws)/2) / float64(c.Games))
				c.Expected = Number(ratings.Expected(i, j))
			}
		}
		p.Seconds = Number(seconds[i] / float64(p.Games))
		s.Draws += p.Draws
	}
	s.Draws /= 2
	slices.SortStableFunc(order, func(i, j int) int { return -cmp.Compare(standings[i].Elo.Estimate, standings[j].Elo.Estimate) })
	for at, i := range order {
		p := standings[i]
		p.Above = Number(math.NaN())
		if at+1 < len(order) {
			p.Above = Number(ratings.Superiority(i, order[at+1]))
		}
		s.Standings = append(s.Standings, p)
		row := make([]Cell, len(order))
		for k, j := range order {
			row[k] = table[i][j]
		}
		s.Table = append(s.Table, row)
	}
	return s, nil
}

// fault counts a game that did not end by the rules.
func (s *Section) fault(g Game, standings []Standing, white, black int) {
	o, reason := g.Game.Outcome()
	loser := &standings[white]
	if o == rules.WhiteWins {
		loser = &standings[black]
	}
	switch reason {
	case rules.PlyLimit:
		s.PlyLimits++
	case rules.Adjudication:
		s.Judged++
	case rules.IllegalMove:
		loser.Illegal++
	case rules.TimeForfeit:
		loser.Forfeits++
	case rules.PlayerFailure:
		loser.Failures++
		loser.Failure = g.Failure
	}
}

// count counts a game with 0, 1 or 2 points.
func (c *Cell) count(points int) {
	c.Games++
	switch points {
	case 2:
		c.Wins++
	case 1:
		c.Draws++
	default:
		c.Losses++
	}
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
