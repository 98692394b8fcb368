package tournament

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"damier/arena"
	"damier/rules"
)

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

// section returns the section of the games under one control.
func section(control string, games []Game, anchor *Anchor) (Section, error) {
	s := Section{Control: control, Standings: []Standing{}, Table: [][]Cell{}, Duplicates: [][]Key{}}
	whole, unpaired := wholePairs(games)
	s.Games, s.Unpaired = 2*len(whole), unpaired
	if len(whole) == 0 {
		return s, nil
	}
	c := newCount(whole)
	s.count(c, whole)
	ratings, err := arena.Rate(len(c.standings), c.rated, c.anchor(anchor), 0.95)
	if err != nil {
		return s, err
	}
	s.White = bounds(ratings.White)
	s.rate(c, ratings)
	s.rank(c, ratings)
	return s, nil
}

// count is what the games of a section add up to, by the number of a player.
type count struct {
	index     map[string]int // number of a player, in the order of the names
	standings []Standing
	table     [][]Cell  // [player][opponent]
	seconds   []float64 // of thought, in all games of the player
	rated     []arena.RatedPair
}

// newCount returns the count of no game yet, for the players of the given pairs.
func newCount(pairs [][2]Game) *count {
	c := &count{index: map[string]int{}}
	for _, p := range pairs {
		c.index[p[0].White], c.index[p[0].Black] = 0, 0
	}
	names := slices.Sorted(maps.Keys(c.index))
	c.standings = make([]Standing, len(names))
	c.table = make([][]Cell, len(names))
	c.seconds = make([]float64, len(names))
	for i, name := range names {
		c.index[name], c.standings[i].Name = i, name
		c.table[i] = make([]Cell, len(names))
	}
	return c
}

// anchor returns the anchor of the ratings, nil if there is none among the players.
func (c *count) anchor(a *Anchor) *arena.Anchor {
	if a == nil {
		return nil
	}
	i, ok := c.index[a.Name]
	if !ok {
		return nil
	}
	return &arena.Anchor{Player: i, Elo: a.Elo}
}

// count adds pairs of games to c, and what does not depend on the players to s.
func (s *Section) count(c *count, pairs [][2]Game) {
	plies := 0
	alike := map[string][]Key{}
	for _, pair := range pairs {
		a, b := c.index[pair[0].White], c.index[pair[0].Black]
		c.rated = append(c.rated, arena.RatedPair{
			A: a, B: b, First: pair[0].points(), Second: 2 - pair[1].points(), Opening: pair[0].Opening,
		})
		for _, g := range pair {
			white, black := c.index[g.White], c.index[g.Black]
			c.table[white][black].count(g.points())
			c.table[black][white].count(2 - g.points())
			c.seconds[white] += g.Elapsed[rules.White].Seconds()
			c.seconds[black] += g.Elapsed[rules.Black].Seconds()
			c.standings[white].Overruns += g.Overruns[rules.White]
			c.standings[black].Overruns += g.Overruns[rules.Black]
			plies += g.Game.Ply()
			s.fault(g, c.standings, white, black)
			k := arena.GameKey(g.Game)
			alike[k] = append(alike[k], g.Key())
		}
	}
	s.Plies = Number(float64(plies) / float64(s.Games))
	s.Distinct = len(alike)
	for _, keys := range alike {
		if len(keys) > 1 {
			s.Duplicates = append(s.Duplicates, keys)
		}
	}
	slices.SortFunc(s.Duplicates, func(a, b []Key) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// rate fills in what the ratings and the whole table say of each player.
func (s *Section) rate(c *count, ratings arena.Ratings) {
	for i := range c.standings {
		p := &c.standings[i]
		p.Elo, p.Split, p.Pairs = bounds(ratings.Elo[i]), ratings.Split[i], ratings.Played[i]
		p.Score = Number(ratings.Played[i].Score())
		for j := range c.table[i] {
			cell := &c.table[i][j]
			p.Games, p.Wins, p.Draws, p.Losses = p.Games+cell.Games, p.Wins+cell.Wins, p.Draws+cell.Draws, p.Losses+cell.Losses
			if cell.Games > 0 {
				cell.Score = Number((float64(cell.Wins) + float64(cell.Draws)/2) / float64(cell.Games))
				cell.Expected = Number(ratings.Expected(i, j))
			}
		}
		p.Seconds = Number(c.seconds[i] / float64(p.Games))
		s.Draws += p.Draws
	}
	s.Draws /= 2
}

// rank puts the players in the order of their ratings.
func (s *Section) rank(c *count, ratings arena.Ratings) {
	order := make([]int, len(c.standings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return -cmp.Compare(c.standings[i].Elo.Estimate, c.standings[j].Elo.Estimate)
	})
	for at, i := range order {
		p := c.standings[i]
		p.Above = Number(math.NaN())
		if at+1 < len(order) {
			p.Above = Number(ratings.Superiority(i, order[at+1]))
		}
		s.Standings = append(s.Standings, p)
		row := make([]Cell, len(order))
		for k, j := range order {
			row[k] = c.table[i][j]
		}
		s.Table = append(s.Table, row)
	}
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
