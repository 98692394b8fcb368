package selfplay

import (
	"errors"
	"fmt"
	"math"

	"damier/mcts"
	"damier/rules"
)

// The searches that play.
const (
	Tree      = "tree"
	AlphaBeta = "alphabeta"
)

// Config says how self-play games are made. Every field has a default that its zero value stands for;
// where none makes sense, a negative value says it.
type Config struct {
	// Search is the search that plays: "tree", the default, or "alphabeta".
	Search string `toml:"search"`

	// Visits are the simulations of a tree search from a number of rows of the run on, "rows:visits",
	// ascending, the first at 0. Default 0:16 and 65536:64: what a network that has learnt little thinks of
	// a position is not worth many.
	Visits []string `toml:"visits"`

	// AlphaBetaRows is for how many rows a run by tree search begins with alpha-beta. Default 0.
	AlphaBetaRows int `toml:"alphabeta_rows"`

	// Depth, in plies, and Nodes are the limits of a search by alpha-beta. Default 3 and 5000.
	Depth int `toml:"depth"`
	Nodes int `toml:"nodes"`

	// TreeRows is how many visits make a position of a search's tree a row of its own, worth what the search
	// thinks of it. Default 8; negative for none. Alpha-beta has no such rows.
	TreeRows int `toml:"tree_rows"`

	// OpeningShare is the share of games that begin with random moves, 0 to OpeningPlies of them,
	// which are not recorded. Default 1 and, as boards differ in size, a quarter of the playing squares:
	// 8, 12, 16 or 18 on 32, 50, 64 or 72; negative for none.
	OpeningShare float64 `toml:"opening_share"`
	OpeningPlies int     `toml:"opening_plies"`

	// RandomShare is the share of the moves of a game that are drawn at random, without a search and without a row, 0 to
	// 1. Default 0.03; negative for none.
	RandomShare float64 `toml:"random_share"`

	// MaxPlies cuts a game short, by rules.PlyLimit. Default 8 for each playing square: 256, 400, 512 or 576.
	// A game that is cut short teaches what its last search thought of it, not a draw.
	MaxPlies int `toml:"max_plies"`

	// Tables is the setting of endgame tables: "on", the user's, and of up to 3 pieces at least those made in memory;
	// the name of their folder; or "off". A game that has entered them is over with its value, unless PlayOn is set;
	// see [Actor.SetTables]. It is for those who open an actor's tables. Default "off".
	Tables string `toml:"egdb"`
	PlayOn bool   `toml:"egdb_play_on"`

	// MCTS are the constants of the tree search. Their defaults belong to what evaluates its leaves.
	MCTS mcts.Config `toml:"mcts"`
}

// For returns c with its zero fields filled in, those that depend on the board among them.
func (c Config) For(v *rules.Variant) Config {
	c.OpeningPlies = or(c.OpeningPlies, v.Board.Squares()/4)
	c.MaxPlies = or(c.MaxPlies, 8*v.Board.Squares())
	return c.WithDefaults()
}

// WithDefaults is For on the board of international draughts.
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

// Stage is what changes in the course of a run.
type Stage struct {
	AlphaBeta bool // alpha-beta plays, not the tree search
	Visits    int  // simulations of a tree search
}

// Stage returns the stage that holds when a run has so many rows.
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

// MostVisits returns the simulations of the largest tree search.
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

// validateVisits returns an error that names the first entry that is wrong.
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

// Validate returns an error that names the first field out of range, after defaults.
func (c Config) Validate() error {
	c = c.WithDefaults()
	if c.Search != Tree && c.Search != AlphaBeta {
		return fmt.Errorf("search is %q; it must be %s or %s", c.Search, Tree, AlphaBeta)
	}
	if err := c.validateVisits(); err != nil {
		return fmt.Errorf("visits: %w", err)
	}
	// The conditions are written so that what is not a number fails them.
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
