package selfplay

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"damier/mcts"
	"damier/rules"
)

// The searches of self-play.
const (
	Tree      = "tree"
	AlphaBeta = "alphabeta"
)

// Config says how self-play makes games. The zero value of a field means its default; a negative
// value means none.
type Config struct {
	// Search is the search that plays: "tree", the default, or "alphabeta".
	Search string `toml:"search"`

	// Visits is the number of simulations of a tree search, by the number of rows of the run:
	// "rows:visits", ascending, the first at 0. Default 0:16 and 65536:64, because more visits
	// with a network that has learnt little are wasted.
	Visits []string `toml:"visits"`

	// AlphaBetaRows is the number of rows for which a run by tree search plays by alpha-beta
	// first. Default 0.
	AlphaBetaRows int `toml:"alphabeta_rows"`

	// Depth, in plies, and Nodes are the limits of a search by alpha-beta. Default 3 and 5000.
	Depth int `toml:"depth"`
	Nodes int `toml:"nodes"`

	// TreeRows is the number of visits from which a position of a search tree becomes a row of its
	// own, with its value in the search. Default 8; negative for none. Alpha-beta has no such
	// rows.
	TreeRows int `toml:"tree_rows"`

	// OpeningShare is the share of games that begin with random moves, 0 to OpeningPlies of them,
	// which are not recorded. Default 1 and, as boards differ in size, a quarter of the playing
	// squares: 8, 12, 16 or 18 on 32, 50, 64 or 72; negative for none.
	OpeningShare float64 `toml:"opening_share"`
	OpeningPlies int     `toml:"opening_plies"`

	// RandomShare is the share, 0 to 1, of the moves of a game that are drawn at random, without a
	// search and without a row. Default 0.03; negative for none.
	RandomShare float64 `toml:"random_share"`

	// MaxPlies is the length at which a game is cut short, with reason rules.PlyLimit. Default 8
	// for each playing square: 256, 400, 512 or 576. The value target of such a game is its last
	// searched value, not a draw.
	MaxPlies int `toml:"max_plies"`

	// Tables is the setting of endgame tables: "on" for those of the user, and at least those of
	// up to 3 pieces, made in memory; the name of their folder; or "off". A game that reaches them
	// ends with their result, unless PlayOn is set; see [Actor.SetTables]. The caller of NewActor
	// opens the tables. Default "off".
	Tables string `toml:"egdb"`
	PlayOn bool   `toml:"egdb_play_on"`

	// MCTS holds the constants of the tree search. Their defaults depend on the evaluator.
	MCTS mcts.Config `toml:"mcts"`
}

// For returns c with its zero fields replaced by defaults, also those that depend on the board.
func (c Config) For(v *rules.Variant) Config {
	c.OpeningPlies = or(c.OpeningPlies, v.Board.Squares()/4)
	c.MaxPlies = or(c.MaxPlies, 8*v.Board.Squares())
	return c.WithDefaults()
}

// WithDefaults is For for the board of international draughts.
func (c Config) WithDefaults() Config {
	c.Search = or(c.Search, Tree)
	if len(c.Visits) == 0 {
		c.Visits = []string{"0:16", "65536:64"}
	}
	c.Depth = or(c.Depth, 3)
	c.Nodes = or(c.Nodes, 5000)
	c.TreeRows = or(c.TreeRows, 8)
	c.OpeningShare = or(c.OpeningShare, 1)
	c.OpeningPlies = or(c.OpeningPlies, 12)
	c.RandomShare = or(c.RandomShare, 0.03)
	c.MaxPlies = or(c.MaxPlies, 400)
	c.Tables = or(c.Tables, "off")
	return c
}

func or[T int | float64 | string](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Stage holds the settings that change in the course of a run.
type Stage struct {
	AlphaBeta bool // alpha-beta plays, not the tree search
	Visits    int  // simulations of a tree search
}

// Stage returns the stage of a run that has the given number of rows.
func (c Config) Stage(rows int) Stage {
	c = c.WithDefaults()
	s := Stage{AlphaBeta: c.Search == AlphaBeta || rows < c.AlphaBetaRows}
	for _, entry := range c.Visits {
		if from, visits, err := parseVisits(entry); err == nil && from <= rows {
			s.Visits = visits
		}
	}
	return s
}

// Changes returns the numbers of rows at which the stage may change, ascending; the first is 0.
func (c Config) Changes() []int {
	rows := []int{0}
	if c.AlphaBetaRows > 0 {
		rows = append(rows, c.AlphaBetaRows)
	}
	for _, entry := range c.WithDefaults().Visits {
		if from, _, err := parseVisits(entry); err == nil {
			rows = append(rows, from)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// SameUntil reports whether a run with the given number of rows has been played as other says too:
// whether the two have the same stages up to there.
func (c Config) SameUntil(rows int, other Config) bool {
	for _, entry := range append(append([]string{"0:1"}, c.WithDefaults().Visits...), other.WithDefaults().Visits...) {
		from, _, err := parseVisits(entry)
		if err != nil || from <= rows && c.Stage(from) != other.Stage(from) {
			return false
		}
	}
	return true
}

// VisitsFrom returns Config.Visits that are those of c before the given row, and from it on those
// of other. Both must be valid.
func (c Config) VisitsFrom(row int, other Config) []string {
	var entries []string
	for _, entry := range c.WithDefaults().Visits {
		if from, _, err := parseVisits(entry); err == nil && from < row {
			entries = append(entries, entry)
		}
	}
	entries = append(entries, fmt.Sprintf("%d:%d", row, other.Stage(row).Visits))
	for _, entry := range other.WithDefaults().Visits {
		if from, _, err := parseVisits(entry); err == nil && from > row {
			entries = append(entries, entry)
		}
	}
	return entries
}

// MostVisits returns the number of simulations of the largest tree search.
func (c Config) MostVisits() int {
	most := 0
	for _, entry := range c.WithDefaults().Visits {
		if _, visits, err := parseVisits(entry); err == nil {
			most = max(most, visits)
		}
	}
	return most
}

// parseVisits reads one entry of Config.Visits.
func parseVisits(s string) (rows, visits int, err error) {
	if n, err := fmt.Sscanf(s, "%d:%d", &rows, &visits); n != 2 || err != nil || s != fmt.Sprintf("%d:%d", rows, visits) {
		return 0, 0, fmt.Errorf("%q is not rows:visits, such as 65536:64", s)
	}
	return rows, visits, nil
}

// validateVisits returns an error that names the first wrong entry.
func (c Config) validateVisits() error {
	last := -1
	for _, entry := range c.Visits {
		from, visits, err := parseVisits(entry)
		switch {
		case err != nil:
			return err
		case last < 0 && from != 0:
			return fmt.Errorf("the first entry begins at %d rows; it must begin at 0", from)
		case from <= last:
			return fmt.Errorf("%s does not come after the entry before it", entry)
		case visits < 2 || visits > math.MaxUint16:
			return fmt.Errorf("%s: a search has 2 to %d visits", entry, math.MaxUint16)
		}
		last = from
	}
	return nil
}

// Validate returns an error that names the first field out of range, after defaults are applied.
func (c Config) Validate() error {
	c = c.WithDefaults()
	if c.Search != Tree && c.Search != AlphaBeta {
		return fmt.Errorf("search is %q; it must be %s or %s", c.Search, Tree, AlphaBeta)
	}
	if err := c.validateVisits(); err != nil {
		return fmt.Errorf("visits: %w", err)
	}
	// The conditions are written so that NaN fails them.
	switch {
	case c.AlphaBetaRows < 0:
		return fmt.Errorf("alphabeta_rows is %d; it must not be negative", c.AlphaBetaRows)
	case c.Depth < 1 || c.Depth > 20:
		return fmt.Errorf("depth is %d; it must be 1 to 20", c.Depth)
	case c.Nodes < 100 || c.Nodes > 1e9:
		return fmt.Errorf("nodes is %d; it must be 100 to 1000000000", c.Nodes)
	case c.TreeRows > math.MaxUint16:
		return fmt.Errorf("tree_rows is %d; it must be at most %d", c.TreeRows, math.MaxUint16)
	case !(c.OpeningShare <= 1):
		return fmt.Errorf("opening_share is %g; it must be at most 1", c.OpeningShare)
	case !(c.RandomShare <= 1):
		return fmt.Errorf("random_share is %g; it must be at most 1", c.RandomShare)
	case c.OpeningPlies > 60:
		return fmt.Errorf("opening_plies is %d; it must be at most 60", c.OpeningPlies)
	case c.MaxPlies < 20 || c.MaxPlies > 10000:
		return fmt.Errorf("max_plies is %d; it must be 20 to 10000", c.MaxPlies)
	}
	if err := c.MCTS.Validate(); err != nil {
		return errors.New("mcts: " + err.Error())
	}
	return nil
}
